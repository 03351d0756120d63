import type { Version } from '#core/document.ts'
import { detailText, readDetail } from '#core/feed/changed-state.ts'
import { ACTIONS } from '#core/history/revision.ts'
import { keyOfText, keyText } from '#core/key.ts'
import type { Changed, ChangedState } from '#core/store.ts'

/** The time one process kept the feed: its changes are those from `from` on, up to where the next one's begin. */
export interface Run {
  readonly id: string
  readonly from: number
}

/** The state of a document: the text of its key, and a fact that distinguishes this state from others. */
export interface State {
  readonly text: string
  readonly fact: string
  /** The state as the feed tells it; absent in logs of earlier releases. */
  readonly is?: ChangedState
}

/** The last known state of a document. */
export type Told = Omit<State, 'text'>

/** A change, and the document's fact after it ('' where it is gone). */
export interface ChangeLine extends State {
  readonly number: number
  readonly run: string
  readonly change: Changed
}

/** The result of reading the lines of a log. */
export interface LoggedChanges {
  /** State of each document as of its last change, by key text. */
  readonly told: Map<string, Told>
  readonly runs: Run[]
  /** The number of the first of `changes`. */
  readonly first: number
  readonly changes: Changed[]
}

export function runLine({ id, from }: Run): string {
  return `r\t${id}\t${from}\n`
}

/** Says that a run gives answers from now on; its own line comes when it has compared the files with the log. */
export function openedLine(run: string): string {
  return `o\t${run}\n`
}

export function changeLine({ change, run, number, fact, text }: ChangeLine): string {
  const words = [change.removed ? '-' : '+', run, number, fact, text, ...wordsOf(change, fact)]
  return `${words.join('\t').replace(/\t+$/, '')}\n`
}

/**
 * The description of a change, where it says more than its fact: action, author, request, the key it was moved from, version, and
 * `detailText`.
 */
function wordsOf({ action, by, request, from, version, ...detail }: Changed, fact: string): string[] {
  const author = by ? `${by.name} <${by.email}>` : ''
  const isKnown = version === undefined || version === versionIn(fact)
  return [
    action === 'external' ? '' : action,
    author,
    request ?? '',
    from ? keyText(from) : '',
    isKnown ? '' : version,
    detailText(detail),
  ]
}

function describedBy(
  [action, by = '', request, from = '', version, detail]: string[],
  fact: string,
): Omit<Changed, 'key' | 'removed'> {
  const [, name, email] = /^(.*) <(.*)>$/.exec(by) ?? []
  const [origin, made] = [keyOfText(from), version || versionIn(fact)]
  return {
    action: ACTIONS.find((known) => known === action) ?? 'external',
    ...(made && { version: made }),
    ...(name !== undefined && email !== undefined && { by: { name, email } }),
    ...(request && { request }),
    ...(origin && { from: origin }),
    ...readDetail(detail),
  }
}

/** Returns the version that a fact ends with: that of the document, or of one of the files that claim its id. */
export function versionIn(fact: string): Version | undefined {
  return /:([0-9a-f]{40})$/.exec(fact)?.[1]
}

/** Ends the states of all documents: without it some are missing, and their changes could not be found. */
export const END_OF_STATES = '.\n'

/** Marks a document that may have been seen in a state of which there is no line: it is listed as changed again. */
export function doubtLine(text: string): string {
  return `?\t${text}\n`
}

export function stateLine({ text, fact, is }: State): string {
  return `${['=', fact, text, detailText(is ? { is } : {})].join('\t').trimEnd()}\n`
}

/** Puts together what the lines of a log say, one after the other. */
export class LinesRead {
  readonly #told = new Map<string, Told>()
  readonly #runs: Run[] = []
  readonly #opened = new Set<string>()
  readonly #first: number
  #changes: Changed[] = []
  #hasStates = false

  /** `first` is the number of the first change. */
  constructor(first: number) {
    this.#first = first
  }

  /** The result of the lines; undefined if they are not sufficient. */
  get all(): LoggedChanges | undefined {
    if (!this.#hasStates) return undefined
    return { told: this.#told, runs: this.#runs, first: this.#first, changes: this.#changes }
  }

  /** Returns whether a run other than this one gave answers and never compared the files: nobody knows what was seen in it. */
  isDoubtedBy(run: string): boolean {
    return [...this.#opened].some((id) => id !== run)
  }

  /** Takes a line; false if it is invalid, or not the one that comes next. */
  take(line: string): boolean {
    if (line.includes('\0')) return false
    const [kind, ...words] = line.split('\t')
    if (line === END_OF_STATES.trimEnd()) {
      this.#hasStates = true
      return true
    }
    if (kind === '=' && (words.length === 2 || words.length === 3)) return this.#state(words)
    if (kind === '?' && words.length === 1) return this.#state(['?', ...words])
    if (kind === 'r' && words.length === 2) return this.#run(words)
    if (kind === 'o' && words.length === 1) return this.#open(words)
    return (kind === '+' || kind === '-') && words.length >= 4 && this.#change(kind === '-', words)
  }

  #state([fact = '', text = '', detail]: string[]): boolean {
    const { is } = readDetail(detail)
    this.#told.set(text, { fact, ...(is && { is }) })
    return true
  }

  #open([id = '']: string[]): boolean {
    this.#opened.add(id)
    return true
  }

  #run([id = '', from = '']: string[]): boolean {
    if (!/^\d+$/.test(from)) return false
    this.#opened.delete(id)
    this.#runs.push({ id, from: Number(from) })
    // Lines that the run before added unknown to this one were seen by nobody.
    if (this.#changes.length > 0) this.#changes = this.#changes.slice(0, Number(from) - this.#first)
    return true
  }

  #change(removed: boolean, [run, number, fact = '', text = '', ...described]: string[]): boolean {
    // A process that was taken over from still wrote: its changes are not of this feed.
    if (run !== this.#runs.at(-1)?.id) return true
    const key = keyOfText(text)
    if (!key || Number(number) !== this.#first + this.#changes.length) return false
    const change = { key, removed, ...describedBy(described, fact) }
    this.#changes.push(change)
    if (removed) this.#told.delete(text)
    else this.#told.set(text, { fact, ...(change.is && { is: change.is }) })
    return true
  }
}
