import type { Analyser } from './analysis/analyser.ts'
import { isUnspaced } from './analysis/characters.ts'
import type { Clause, WordClause } from './clauses.ts'
import { type Part, partsOf } from './query-parts.ts'
import type { Word } from './word.ts'

/** The most words of a query that are looked for; a run of a script without spaces counts as one. */
const MOST_WORDS = 8
/**
 * The most words of a phrase that are looked for, each pair of a run for one: the text is found by the beginning of what is
 * longer.
 */
const MOST_IN_PHRASE = 32
/** From so many letters on a word may be written with one mistake, and with two. */
const ONE_MISTAKE = 3
const TWO_MISTAKES = 8

/** One word, or what the analyser makes of a stretch of a script without spaces: pairs, and the last character alone. */
interface Run {
  readonly words: Word[]
  readonly isUnspaced: boolean
  end: number
}

/**
 * Parses a line of text that a user searches for. `"words in quotes"` follow each other and are required. `-` before a word or a
 * quote prohibits it, `+` requires it. Every other character only separates words. Stop words are dropped except in quotes. A
 * query of nothing else returns no clauses. Words of scripts without spaces are required, each as a stretch of text. The last
 * word is a beginning if it may still be being typed. At most 256 characters are read and 8 words taken. Never throws.
 */
export function queryOf(text: string, analyser: Analyser): Clause[] {
  const clauses: Clause[] = []
  let left = MOST_WORDS
  for (const part of partsOf(text)) {
    if (left === 0) break
    const runs = runsOf(part.text, analyser)
    const taken = beginningOf(runs, left)
    const made = clausesOf(part, taken, part.isOpen && taken.length === runs.length)
    clauses.push(...made)
    // A phrase of stop words alone counts as a word.
    left -= Math.max(taken.filter(counts).length, Math.min(made.length, 1))
  }
  return clauses
}

function runsOf(text: string, analyser: Analyser): Run[] {
  const runs: Run[] = []
  analyser.read(text, (word, start, end) => {
    const last = runs.at(-1)
    if (last && start < last.end) {
      last.words.push(word)
      last.end = end
    } else {
      runs.push({ words: [word], isUnspaced: isUnspaced(word.form), end })
    }
  })
  return runs
}

/** The first runs of which `most` are no stop words. */
function beginningOf(runs: readonly Run[], most: number): Run[] {
  let counted = 0
  return runs.filter((run) => {
    if (counts(run)) counted++
    return counted <= most
  })
}

function counts(run: Run): boolean {
  return run.words.some((word) => word.stem !== '')
}

function clausesOf(part: Part, runs: readonly Run[], isTyped: boolean): Clause[] {
  const single = runs.length === 1 && !runs[0]?.isUnspaced
  if (part.isWhole && !single) return wholeOf(runs, part.presence === 'prohibited' ? 'prohibited' : 'required')
  const clauses: Clause[] = []
  for (const [index, run] of runs.entries()) {
    if (run.isUnspaced) clauses.push(...wholeOf([run], 'required'))
    else clauses.push(...wordOf(run, part, isTyped && index === runs.length - 1))
  }
  return clauses
}

function wordOf({ words: [word] }: Run, part: Part, isTyped: boolean): WordClause[] {
  if (!word || word.stem === '') return []
  const isExact = part.isQuoted || part.presence === 'prohibited'
  return [
    {
      ...word,
      presence: part.presence,
      isBeginning: isTyped && !isExact && lettersOf(word.form) >= 2,
      edits: isExact ? 0 : editsOf(word.form),
    },
  ]
}

/** Words that follow each other. */
function wholeOf(runs: readonly Run[], presence: 'required' | 'prohibited'): Clause[] {
  const last = runs.at(-1)
  const alone = last?.isUnspaced && last.words.length === 1 ? last.words[0] : undefined
  // The last character of a run stands alone in the index; in the middle of a text it begins a pair.
  if (alone && runs.length === 1) return [{ ...alone, presence, isBeginning: true, edits: 0 }]
  if (alone && presence === 'required')
    return [...wholeOf(runs.slice(0, -1), presence), { ...alone, presence, isBeginning: true, edits: 0 }]
  const phrase = runs
    .flatMap((run) => (run === last && run.words.length > 1 ? run.words.slice(0, -1) : run.words))
    .slice(0, MOST_IN_PHRASE)
  const [first, ...more] = phrase
  if (!first) return []
  if (more.length > 0) return [{ presence, phrase }]
  return first.stem === '' ? [] : [{ ...first, presence, isBeginning: false, edits: 0 }]
}

/**
 * Returns the number of mistakes allowed in a word: none if it has digits, and none in scripts whose characters are words or
 * syllables.
 */
function editsOf(form: string): 0 | 1 | 2 {
  if (!/^[\p{Ll}\p{M}]+$/u.test(form)) return 0
  const letters = lettersOf(form)
  return letters >= TWO_MISTAKES ? 2 : letters >= ONE_MISTAKE ? 1 : 0
}

function lettersOf(form: string): number {
  return [...form].length
}
