/** The searchable texts of a document, by field, in their source form: Markdown remains Markdown. */
export interface SearchText {
  readonly title: string
  /** Ids of its terms, of all taxonomies, with `-` for a space. */
  readonly tags: readonly string[]
  /** The body first, then texts of other fields. */
  readonly body: readonly string[]
}
