/** Loads the protobuf codec at its first use: most clients send JSON. */
export const loadProtobuf = () => import('./codec.ts');
