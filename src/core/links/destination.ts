/** The address that a link or a picture of a Markdown text leads to, as it is written there: `text` from `start` to `end`. */
export interface Destination {
  readonly start: number
  readonly end: number
  readonly text: string
  /**
   * `bare` and `angle` are of links, pictures and definitions; `auto` is an autolink; `html` the value of an attribute; `wiki` a name
   * in double brackets.
   */
  readonly form: 'bare' | 'angle' | 'auto' | 'html' | 'wiki'
  readonly isPicture: boolean
}
