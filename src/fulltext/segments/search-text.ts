/** What of a document can be found, by field, as it is written: Markdown where it is Markdown. */
export interface SearchText {
  readonly title: string
  /** Ids of its terms, of all taxonomies, with `-` for a space. */
  readonly tags: readonly string[]
  /** The body first, then texts of other fields. */
  readonly body: readonly string[]
}
