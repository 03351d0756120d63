import { commonmarkLanguage, deleteMarkupBackward, markdownLanguage } from '@codemirror/lang-markdown'
import { Language, language, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, type Extension, Prec, type Text, type Transaction } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { tagHighlighter, tags } from '@lezer/highlight'
import { GFM, type MarkdownParser } from '@lezer/markdown'
import { denseBlocks, isParseable } from './limits.ts'
import { continueBlock } from './line-breaks.ts'

/** Characters that one change has to bring or take for the whole text to be looked at again. */
const LARGE = 4096

// What the site renders: GFM without CodeMirror's own marks for subscripts and emoji. `markdown()` would bring the grammars of
// HTML, CSS and JavaScript along.
const siteMarkdown = new Language(
  markdownLanguage.data,
  (commonmarkLanguage.parser as MarkdownParser).configure([GFM, denseBlocks]),
  [],
  'markdown',
)

const parsed: Extension = [
  siteMarkdown,
  Prec.high(
    keymap.of([
      { key: 'Enter', run: continueBlock },
      { key: 'Backspace', run: deleteMarkupBackward },
    ]),
  ),
]

const parsing = new Compartment()

/** Has a text parsed as Markdown, for as long as it is one that does not hold the page. */
export function markdown(text: Text): Extension {
  return [parsing.of(isParseable(text) ? parsed : []), EditorState.transactionExtender.of(switchParsing)]
}

/** Returns whether a text is parsed. */
export function isParsed(state: EditorState): boolean {
  return state.facet(language) !== null
}

function switchParsing(transaction: Transaction): { effects: ReturnType<Compartment['reconfigure']> } | null {
  if (!isLarge(transaction)) return null
  const isGood = isParseable(transaction.newDoc)
  return isGood === isParsed(transaction.startState) ? null : { effects: parsing.reconfigure(isGood ? parsed : []) }
}

function isLarge({ changes }: Transaction): boolean {
  let largest = 0
  changes.iterChanges((fromA, toA, fromB, toB) => {
    largest = Math.max(largest, toA - fromA, toB - fromB)
  })
  return largest >= LARGE
}

/** Colours the syntax where Markdown is shown as it is written. */
export const colouredSource: Extension = syntaxHighlighting(
  tagHighlighter([
    { tag: tags.heading, class: 'tok-heading' },
    { tag: tags.strong, class: 'tok-strong' },
    { tag: tags.emphasis, class: 'tok-emphasis' },
    { tag: tags.strikethrough, class: 'tok-strike' },
    { tag: [tags.monospace, tags.labelName], class: 'tok-code' },
    { tag: [tags.link, tags.url], class: 'tok-link' },
    { tag: [tags.processingInstruction, tags.contentSeparator, tags.meta, tags.comment], class: 'tok-mark' },
  ]),
)
