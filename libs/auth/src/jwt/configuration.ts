/** The configuration of authentication by tokens of other issuers: `AuthenticationConfiguration` of `apiserver.config.k8s.io`. */
export interface AuthenticationConfiguration {
  jwt: readonly JwtConfiguration[];
  anonymous: AnonymousConfiguration | undefined;
}

/** Which requests without credentials are let in. */
export interface AnonymousConfiguration {
  enabled: boolean;
  /** Paths for which it holds; all, where there is none. */
  conditions: readonly { path: string }[];
}

/** One issuer of tokens, and the users that its tokens stand for. What is not set is empty. */
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

/** Where tokens come from, and whom they must be meant for. */
export interface IssuerConfiguration {
  url: string;
  discoveryURL: string;
  /** PEM; the roots of the system, where empty. */
  certificateAuthority: string;
  audiences: readonly string[];
  audienceMatchPolicy: string;
  egressSelectorType: string;
}

/** A claim that must have a value, or an expression that must hold. */
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
