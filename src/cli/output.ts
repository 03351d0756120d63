import { randomBytes } from 'node:crypto'
import { relative } from 'node:path'
import type { Json } from '#lib/json.ts'
import { escaped, UNSEEN, visible } from '#lib/text/visible.ts'

/** Something odd that did not stop the command. */
export interface Warning {
  message: string
  hint?: string
  file?: string
  line?: number
  column?: number
}

/** The output options, from the global flags and the terminal. */
export interface OutputOptions {
  readonly json: boolean
  readonly quiet: boolean
  readonly verbose: boolean
  /** False with --no-color or NO_COLOR; a stream that is no terminal has no colour in any case. */
  readonly color: boolean
}

interface Sink extends NodeJS.WritableStream {
  isTTY?: boolean
  columns?: number
}

const STYLES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

/** A way to set off text on a terminal. */
export type Style = keyof typeof STYLES

const MARK = /[\p{Mn}\p{Me}\p{Cf}]/u
const WIDE =
  /[\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const PLAIN_PROGRESS_EVERY = 10_000
/** A column is not cut to less. */
const LEAST_COLUMN = 8

/** The output of a command: the result, and nothing else, goes to stdout. Progress, warnings and errors go to stderr. */
export class Output {
  readonly options: OutputOptions
  readonly #stdout: Sink
  readonly #stderr: Sink
  readonly #warnings: Warning[] = []
  #documented = false
  /** Tells the styles of `paint` from what an author may have written. */
  readonly #mark = `\u0001${randomBytes(8).toString('hex')}`
  readonly #odd = new RegExp(`${this.#mark}\\[(\\d+)m|${UNSEEN}`, 'g')

  constructor(stdout: Sink, stderr: Sink, options: OutputOptions) {
    this.#stdout = stdout
    this.#stderr = stderr
    this.options = options
    // `cms list | head` closes the pipe early: what is left is not wanted, and that is no failure.
    for (const stream of [stdout, stderr]) stream.on('error', ignoreClosedPipe)
  }

  /** The result, for a person or the next program in a pipe: to stdout, always. */
  print(text: string): void {
    if (text !== '') this.#stdout.write(this.#shown(text.endsWith('\n') ? text : `${text}\n`))
  }

  /** The one JSON document that `--json` promises; a second is not written. */
  document(value: Json): void {
    if (this.#documented) return
    this.#documented = true
    this.#stdout.write(`${visible(JSON.stringify(value))}\n`)
  }

  /** A word to the person, on stderr; not with -q. */
  say(text: string): void {
    if (!this.options.quiet) this.#stderr.write(`${this.#shown(text)}\n`)
  }

  /** As `say`, with -v only. */
  detail(text: string): void {
    if (this.options.verbose) this.#stderr.write(`${this.#shown(text)}\n`)
  }

  /** An error or whatever else must be read, -q or not. */
  complain(text: string): void {
    this.#stderr.write(`${this.#shown(text)}\n`)
  }

  /** Kept for the JSON document, or said at once. */
  warn(warning: Warning): void {
    this.#warnings.push(warning)
    if (this.options.json) return
    const place = placeOf(warning)
    const hint = warning.hint ? ` ${warning.hint}` : ''
    this.say(`${this.paint('yellow', 'warning:')} ${place ? `${place}: ` : ''}${warning.message}${hint}`)
  }

  warnings(): readonly Warning[] {
    return this.#warnings
  }

  /** True if messages to the user reach a terminal. */
  get terminal(): boolean {
    return this.#stderr.isTTY === true
  }

  /** Number of columns that a line of the result may have: the width of a terminal, or infinite for a pipe or a file. */
  get columns(): number {
    const { isTTY, columns } = this.#stdout
    return isTTY === true && columns ? columns : Number.POSITIVE_INFINITY
  }

  /** `text` in that style where stderr (or `to`) is a terminal that wants colour. */
  paint(style: Style, text: string, to: 'stdout' | 'stderr' = 'stderr'): string {
    const stream = to === 'stdout' ? this.#stdout : this.#stderr
    if (!this.options.color || stream.isTTY !== true || process.env.TERM === 'dumb') return text
    const [on, off] = STYLES[style]
    return `${this.#mark}[${on}m${text}${this.#mark}[${off}m`
  }

  /** A text as a terminal may have it: its styles are ours, and what an author wrote is seen, not obeyed. */
  #shown(text: string): string {
    return text.replaceAll(this.#odd, (sign, style?: string) => (style === undefined ? escaped(sign) : `\u001b[${style}m`))
  }

  /**
   * Says `label` once the work lasts over a second, and how far it is: one line rewritten on a terminal, a line now and then
   * elsewhere.
   */
  progress(label: string): Progress {
    return new Progress(label, this, this.terminal ? 120 : PLAIN_PROGRESS_EVERY, (text) => this.#stderr.write(text))
  }

  /** Resolves when all that was written has left the process. */
  async flush(): Promise<void> {
    await Promise.all([this.#stdout, this.#stderr].map((stream) => new Promise<void>((done) => stream.write('', () => done()))))
  }
}

/** The progress of one piece of work, silent for its first second. */
export class Progress {
  readonly #label: string
  readonly #output: Output
  readonly #write: (text: string) => void
  readonly #first: NodeJS.Timeout
  #repeat: NodeJS.Timeout | undefined
  #state = ''
  #shown = false

  constructor(label: string, output: Output, every: number, write: (text: string) => void) {
    this.#label = label
    this.#output = output
    this.#write = write
    this.#first = setTimeout(() => {
      this.#show()
      this.#repeat = setInterval(() => this.#show(), every).unref()
    }, 1000).unref()
  }

  /** Sets the progress. `of` is the total, if it is known. */
  step(done: number, of?: number): void {
    this.#state = of === undefined ? ` ${done}` : ` ${done} of ${of}`
  }

  end(): void {
    clearTimeout(this.#first)
    clearInterval(this.#repeat)
    if (this.#shown && this.#output.terminal) this.#write('\r\u001b[K')
  }

  #show(): void {
    if (this.#output.options.quiet) return
    this.#shown = true
    this.#write(this.#output.terminal ? `\r\u001b[K${this.#label}…${this.#state}` : `${this.#label}…${this.#state}\n`)
  }
}

/** `content/posts/a.md:7:3`, as far as it is known; '' where there is no file. */
export function placeOf(at: { file?: string | undefined; line?: number | undefined; column?: number | undefined }): string {
  if (at.file === undefined) return ''
  return [oneLine(at.file), at.line, at.line === undefined ? undefined : at.column].filter((part) => part !== undefined).join(':')
}

/** A text with its line ends written out: what names of files and values hold must not look like lines of the command's own. */
export function oneLine(text: string): string {
  return text.replaceAll('\r', '\\r').replaceAll('\n', '\\n')
}

/** A path as a person at the working folder would write it: relative where it is below, else absolute. */
export function shownPath(path: string): string {
  const short = relative(process.cwd(), path)
  return short.startsWith('..') ? path : short || '.'
}

/**
 * Columns of text, each as wide as its widest cell; the last is not padded. Where they are wider than `most` together, the widest
 * are cut short, but never the first, which names the row.
 */
export function table(rows: readonly (readonly string[])[], most = Number.POSITIVE_INFINITY): string {
  const widths: number[] = []
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(cell))
  const excess = () => widths.reduce((sum, width) => sum + width + 2, -2) - most
  for (let over = excess(); over > 0; over = excess()) {
    const widest = Math.max(...widths.slice(1))
    if (widest <= LEAST_COLUMN) break
    const next = Math.max(LEAST_COLUMN, widest - over, ...widths.slice(1).filter((width) => width < widest))
    widths[widths.indexOf(widest, 1)] = next
  }
  return rows
    .map((row) => row.map((cell, i) => shortened(cell, widths[i] ?? 0)))
    .map((row) =>
      row
        .map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - widthOf(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A text cut to that many columns of a terminal. */
function shortened(text: string, most: number): string {
  if (widthOf(text) <= most) return text
  let kept = ''
  let width = 1
  for (const character of text) {
    width += widthOf(character)
    if (width > most) break
    kept += character
  }
  return `${kept}…`
}

/** The columns of a terminal that a text takes: two for East Asian letters and pictures, none for marks. */
function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error
}
