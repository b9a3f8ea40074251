/**
 * The configuration of authentication by tokens of other issuers: `AuthenticationConfiguration` of
 * `apiserver.config.k8s.io`.
 */
export interface AuthenticationConfiguration {
  jwt: readonly JwtConfiguration[];
  anonymous: AnonymousConfiguration | undefined;
}

/** The requests without credentials that are admitted. */
export interface AnonymousConfiguration {
  enabled: boolean;
  /** The paths to which it applies; all, if empty. */
  conditions: readonly { path: string }[];
}

/** One issuer of tokens, and how its claims map to users. Unset members are empty. */
export interface JwtConfiguration {
  issuer: IssuerConfiguration;
  claimValidationRules: readonly ClaimRule[];
  claimMappings: {
    username: MappingConfiguration;
    groups: MappingConfiguration;
    uid: { claim: string; expression: string };
    extra: readonly { key: string; valueExpression: string }[];
  };
  userValidationRules: readonly { expression: string; message: string }[];
}

/** The source of tokens, and the audiences that they must have. */
export interface IssuerConfiguration {
  url: string;
  discoveryURL: string;
  /** PEM; the system roots if empty. */
  certificateAuthority: string;
  audiences: readonly string[];
  audienceMatchPolicy: string;
  egressSelectorType: string;
}

/** A claim that must have a value, or an expression that must be true. */
export interface ClaimRule {
  claim: string;
  requiredValue: string;
  expression: string;
  message: string;
}

/** A claim with a prefix, or an expression. */
export interface MappingConfiguration {
  claim: string;
  prefix: string | undefined;
  expression: string;
}
