declare module 'markdown-it-deflist' {
  import type { MarkdownIt } from 'markdown-it'

  /** Adds definition lists: a term, and below it `: its definition`. */
  export default function deflist(md: MarkdownIt): void
}

declare module 'markdown-it-mark' {
  import type { MarkdownIt } from 'markdown-it'

  /** Adds `==marked==` text. */
  export default function mark(md: MarkdownIt): void
}
