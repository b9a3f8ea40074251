/** The defaults of a claim's spec, also where it is the template of a claim. */
export const claimSpecDefaults = { volumeMode: 'Filesystem' };

export const claimStatusDefaults = { phase: 'Pending' };
