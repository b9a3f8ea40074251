/** The defaults of the spec of a claim, also in claim templates. */
export const claimSpecDefaults = { volumeMode: 'Filesystem' };

export const claimStatusDefaults = { phase: 'Pending' };
