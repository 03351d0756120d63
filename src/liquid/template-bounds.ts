import { mustBeParsable } from './template-size.ts'

/** The most blocks in one rendering: iterations of its loops, branches and partial templates, all counted together. */
export const MOST_STEPS = 100_000
/** The most items of lists and ranges, and characters of texts, that filters make in one rendering. */
export const MOST_MADE = 16 * 1024 * 1024
/**
 * The most of them that a range, or a step of a filter, makes at once, and the most items of a list that a filter takes: neither
 * is done in parts.
 */
export const MOST_AT_ONCE = 2 * 1024 * 1024
const MOST_FILTERED = 50_000
/** The most characters of the format of a date: each two of them may be a conversion of its own. */
const MOST_FORMAT = 1000
/** The most characters of what comes out. */
export const MOST_OUTPUT = 32 * 1024 * 1024

/** The options of LiquidJS that bound what ranges and filters make. */
export const TEMPLATE_LIMITS = { memoryLimit: MOST_MADE } as const

/**
 * The part of a LiquidJS rendering that is used. Its single memory limit identifies the whole rendering, including partial
 * templates.
 */
interface Rendering {
  readonly memoryLimit: { use(count: number): void }
}

interface Emitter {
  readonly buffer?: unknown
}

/** A filter is given what LiquidJS has; nothing of it is used but its length. */
type Apply = (this: never, value: never, ...others: never[]) => unknown
type Filter = Apply | { readonly handler: Apply; readonly raw: boolean }

/** The part of a LiquidJS engine that is used. */
interface Engine<Template, Context extends Rendering, Out extends Emitter, Made> {
  readonly renderer: { renderTemplates(templates: Template[], context: Context, emitter?: Out): Made }
  readonly filters: Record<string, Filter>
  readonly options: { readonly fs: { readFileSync(file: string): string } }
}

/**
 * Has an engine of LiquidJS refuse a template that is too large to be parsed, whose loops go round over 100,000 times, that makes
 * a page of over 32 MiB, or has a list or a text that is too large for one step.
 */
export function boundTemplates<Template, Context extends Rendering, Out extends Emitter, Made>({
  renderer,
  filters,
  options,
}: Engine<Template, Context, Out, Made>): void {
  boundFilters(filters)
  boundFiles(options.fs)
  const steps = new WeakMap<object, number>()
  const render = renderer.renderTemplates.bind(renderer)
  renderer.renderTemplates = (templates, context, emitter) => {
    const before = steps.get(context.memoryLimit)
    if (before === undefined) boundUse(context.memoryLimit)
    const done = (before ?? 0) + 1
    if (done > MOST_STEPS) throw new Error(`its loops go round over ${MOST_STEPS.toLocaleString('en')} times`)
    steps.set(context.memoryLimit, done)
    const made = emitter?.buffer
    if (typeof made === 'string' && made.length > MOST_OUTPUT) throw new Error('it makes a page of over 32 MiB')
    return render(templates, context, emitter)
  }
}

function boundUse(limit: Rendering['memoryLimit']): void {
  const use = limit.use.bind(limit)
  limit.use = (count) => {
    // Of what is more than all may be, the limit itself says so.
    if (count > MOST_AT_ONCE && count <= MOST_MADE)
      throw new Error('one of its ranges, lists and texts holds over 2 million items')
    use(count)
  }
}

function boundFiles(fs: { readFileSync(file: string): string }): void {
  const read = fs.readFileSync.bind(fs)
  fs.readFileSync = (file) => {
    const text = read(file)
    mustBeParsable(text, file)
    return text
  }
}

function boundFilters(filters: Record<string, Filter>): void {
  for (const [name, filter] of Object.entries(filters)) {
    const apply = typeof filter === 'function' ? filter : filter.handler
    const made = BOUNDS[name]?.(bounded(apply)) ?? bounded(apply)
    filters[name] = typeof filter === 'function' ? made : { ...filter, handler: made }
  }
}

/**
 * A filter of the caller's within the same bounds: the texts that it is given and makes count, or a loop around one that makes them
 * longer would take all memory.
 */
export function boundFilter<Handler extends (...values: never[]) => unknown>(handler: Handler): Handler {
  const apply = bounded(handler as Apply)
  const counted = function (this: { readonly context: Rendering }, value: unknown, ...others: unknown[]): unknown {
    const { memoryLimit } = this.context
    for (const given of [value, ...others]) if (typeof given === 'string') memoryLimit.use(given.length)
    const made = apply.call(this as never, value as never, ...(others as never[]))
    if (typeof made === 'string') memoryLimit.use(made.length)
    return made
  }
  return counted as unknown as Handler
}

function bounded(apply: Apply): Apply {
  return function (value, ...others) {
    const given: unknown = value
    const isTooLong = Array.isArray(given) && given.length > MOST_FILTERED
    if (isTooLong) throw tooManyItems()
    return apply.call(this, value, ...others)
  }
}

function tooManyItems(): Error {
  return new Error(`a filter is given a list of over ${MOST_FILTERED.toLocaleString('en')} items`)
}

/** Bounds of filters that take long over texts that others take at once. */
const BOUNDS: Readonly<Record<string, (apply: Apply) => Apply>> = {
  date: (apply) =>
    function (value, ...others) {
      const [format]: readonly unknown[] = others
      const isTooLong = Array.isArray(format) || (typeof format === 'string' && format.length > MOST_FORMAT)
      if (isTooLong) throw new Error(`the format of a date is over ${MOST_FORMAT.toLocaleString('en')} characters`)
      return apply.call(this, value, ...others)
    },
  // The characters of a text are shuffled as items of a list.
  sample: (apply) =>
    function (value, ...others) {
      const text: unknown = value
      if (typeof text === 'string' && text.length > MOST_FILTERED) throw tooManyItems()
      return apply.call(this, value, ...others)
    },
  truncatewords: (apply) =>
    function (value, ...others) {
      const [text, words = 15]: readonly unknown[] = [value, ...others]
      return apply.call(this, typeof text === 'string' ? (beginningOf(text, Number(words)) as never) : value, ...others)
    },
}

/** The beginning of a text up to a word after so many: what is cut off anyway is not split into words. */
function beginningOf(text: string, words: number): string {
  const most = words >= 1 ? words : 1
  const word = /\S+\s*/g
  for (let n = 0; n <= most; n++) {
    if (!word.test(text)) return text
    if (n > MOST_FILTERED) throw new Error(`a filter cuts a text after over ${MOST_FILTERED.toLocaleString('en')} words`)
  }
  return text.slice(0, word.lastIndex)
}

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/memory alloc limit exceeded/, 'its ranges, lists and texts hold over 16 million items'],
  [/template render limit exceeded/, 'it takes too long'],
]

/** The words for a limit that a template went over; other messages as they are. */
export function templateFault(message: string): string {
  for (const [limit, words] of WORDS) if (limit.test(message)) return message.replace(limit, words)
  return message
}
