/** A filter that a module adds to the site's templates. */
export interface AddedFilter {
  readonly name: string
  /** Returns what a template prints for a value. Throws a sentence that names the module. */
  apply(value: unknown, ...args: readonly unknown[]): unknown
}

/** A tag that a module adds to the site's templates. */
export interface AddedTag {
  readonly name: string
  /** Returns a text that is escaped, or HTML that is not. Throws a sentence that names the module. */
  make(...args: readonly unknown[]): string | { readonly html: string }
}

/** Rules that a module adds to the parser of Markdown. */
export interface AddedMarkdown {
  readonly module: string
  /** The address of the module's file, for threads to load it; undefined where texts are made here alone. */
  readonly entry: string | undefined
  /** Adds them to a parser; it does not throw. */
  use(parser: unknown): void
}

/** The things that modules add to the pages of a site. */
export interface SiteExtensions {
  /** A text that is another where one of the modules is another. */
  readonly stamp: string
  readonly filters: readonly AddedFilter[]
  readonly tags: readonly AddedTag[]
  readonly markdown: readonly AddedMarkdown[]
}
