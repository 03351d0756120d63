/** A provider of identities as the configuration has it (`auth.providers.<name>`): the addresses that its kind needs are there. */
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

/** What the two halves of one sign-in at a provider have in common, known to the browser that began it alone. */
export interface Dance {
  readonly state: string
  /** Of PKCE (RFC 7636): only who began can turn the provider's code into tokens. */
  readonly verifier: string
  /** What the provider's ID token must name. */
  readonly nonce: string
}

/** What a provider sends the browser back with: the parameters of the address (RFC 6749 §4.1.2, RFC 9207). */
export type Returned = Readonly<Record<string, string>>

/** Whom a provider knows. */
export interface Person {
  /** What the provider calls them, never anybody else. */
  readonly subject: string
  /** One plain address that the provider says is theirs; undefined where it says so of none. */
  readonly email: string | undefined
  readonly name: string | undefined
}

/** One provider of identities. */
export interface Provider {
  /** Who gives the identities: two that are called alike at one time or another are not mixed up by it. */
  readonly realm: string
  /** Where the browser is to go. Throws ProviderAway where the provider can't be asked. */
  begin(dance: Dance): Promise<URL>
  /**
   * Who came back. Throws Declined where they or the provider would not, NotFitting where what came back is of no use for this sign-in,
   * ProviderAway where the provider can't be asked.
   */
  person(dance: Dance, returned: Returned): Promise<Person>
}

/** How a provider is spoken to. */
export interface ProviderParts {
  readonly name: string
  readonly setting: ProviderSetting
  /** Where the provider sends the browser back to: of `site.url`, never of a request. */
  readonly callback: string
  /** How long one request to the provider may take, in milliseconds. */
  readonly patience: number
}
