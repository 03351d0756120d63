/** The words that a page shows or reads aloud beside those of its text. */
export const WORDS = {
  footnotes: 'Footnotes',
  back: 'Back to reference',
  section: 'Link to this section',
  code: 'Code',
  diagram: 'Diagram',
  table: 'Table',
  done: 'Done',
  open: 'To do',
  note: 'Note',
  info: 'Info',
  tip: 'Tip',
  success: 'Success',
  question: 'Question',
  important: 'Important',
  warning: 'Warning',
  caution: 'Caution',
  danger: 'Danger',
  details: 'Details',
}

/** Words in the language of a site. */
export type Words = Readonly<typeof WORDS>
