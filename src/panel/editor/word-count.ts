import type { Extension, Text } from '@codemirror/state'
import { ViewPlugin, type ViewUpdate } from '@codemirror/view'

/** A word, or a character of a script that writes without spaces. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+(?:['’_-][\p{L}\p{N}]+)*/gu

/** Words that are read in a minute. */
const PACE = 230

/** Lines that a change took, and those that it put there. */
interface Span {
  readonly fromA: number
  readonly fromB: number
  toA: number
  toB: number
}

/** Shows in an element how many words a text has. A change costs its own lines, whatever the length of the text. */
export function wordCount(target: HTMLElement): Extension {
  return ViewPlugin.define((view) => {
    let count = wordsIn(view.state.doc, 0, view.state.doc.length)
    const show = (): void => {
      const minutes = Math.max(1, Math.round(count / PACE))
      target.textContent = `${count.toLocaleString('en')} ${count === 1 ? 'word' : 'words'} · ${minutes} min`
    }
    show()
    return {
      update(update: ViewUpdate) {
        if (!update.docChanged) return
        for (const { fromA, toA, fromB, toB } of changedLines(update)) {
          count += wordsIn(update.state.doc, fromB, toB) - wordsIn(update.startState.doc, fromA, toA)
        }
        show()
      },
    }
  })
}

function changedLines({ changes, startState: { doc: before }, state: { doc: after } }: ViewUpdate): Span[] {
  const spans: Span[] = []
  changes.iterChangedRanges((a, endA, b, endB) => {
    const last = spans.at(-1)
    const span = {
      fromA: before.lineAt(a).from,
      toA: before.lineAt(endA).to,
      fromB: after.lineAt(b).from,
      toB: after.lineAt(endB).to,
    }
    if (last && (span.fromA <= last.toA || span.fromB <= last.toB)) Object.assign(last, { toA: span.toA, toB: span.toB })
    else spans.push(span)
  })
  return spans
}

function wordsIn(text: Text, from: number, to: number): number {
  let count = 0
  for (const part of text.iterRange(from, to)) for (const _ of part.matchAll(WORD)) count++
  return count
}
