/**
 * A provider of identities as the configuration has it (`auth.providers.<name>`): the addresses that its kind needs are there.
 */
export interface ProviderSetting {
  readonly kind: 'oidc' | 'oauth2'
  readonly issuer?: string | undefined
  readonly authorize_url?: string | undefined
  readonly token_url?: string | undefined
  readonly user_url?: string | undefined
  readonly emails_url?: string | undefined
  readonly scope?: string | undefined
  readonly client_id: string
  readonly client_secret: string
}

/** The state shared by the two halves of a sign-in at a provider. Only the browser that began it knows it. */
export interface Dance {
  readonly state: string
  /** Of PKCE (RFC 7636): only who began can turn the provider's code into tokens. */
  readonly verifier: string
  /** The nonce that the provider's ID token must contain. */
  readonly nonce: string
}

/** The parameters that a provider adds to the callback address (RFC 6749 §4.1.2, RFC 9207). */
export type Returned = Readonly<Record<string, string>>

/** A person that a provider knows. */
export interface Person {
  /** The provider's id for this person. It is never reused for anybody else. */
  readonly subject: string
  /** A plain address that the provider has verified as theirs; undefined if there is none. */
  readonly email: string | undefined
  readonly name: string | undefined
}

/** One provider of identities. */
export interface Provider {
  /** The source of the identities. It keeps apart providers that have the same name at different times. */
  readonly realm: string
  /** Resolves with the address to send the browser to. Throws ProviderAway if the provider can't be reached. */
  begin(dance: Dance): Promise<URL>
  /**
   * Resolves with the person who signed in. Throws Declined if they or the provider declined, NotFitting if the response does not
   * belong to this sign-in, ProviderAway if the provider can't be reached.
   */
  person(dance: Dance, returned: Returned): Promise<Person>
}

/** The dependencies of a provider. */
export interface ProviderDeps {
  readonly name: string
  readonly setting: ProviderSetting
  /** The address that the provider redirects the browser to. Built from `site.url`, never from a request. */
  readonly callback: string
  /** Timeout of one request to the provider, in milliseconds. */
  readonly patience: number
}
