/** The most blocks in one rendering: turns of its loops, branches and partial templates, all counted together. */
const MOST_STEPS = 100_000
/** The most items of lists and ranges, and characters of texts, that filters make in one rendering. */
const MOST_MADE = 16 * 1024 * 1024
/** The most characters of what comes out. */
const MOST_OUTPUT = 32 * 1024 * 1024

/** The options of LiquidJS that bound what ranges and filters make. */
export const TEMPLATE_LIMITS = { memoryLimit: MOST_MADE } as const

/** What is used of a rendering of LiquidJS: its one memory limit stands for the whole of it, partial templates included. */
interface Rendering {
  readonly memoryLimit: object
}

interface Emitter {
  readonly buffer?: unknown
}

/** What is used of an engine of LiquidJS. */
interface Engine<Template, Context extends Rendering, Out extends Emitter, Made> {
  readonly renderer: { renderTemplates(templates: Template[], context: Context, emitter?: Out): Made }
}

/** Has an engine of LiquidJS refuse a template whose loops go round over 100,000 times, or that makes a page of over 32 MiB. */
export function boundTemplates<Template, Context extends Rendering, Out extends Emitter, Made>({
  renderer,
}: Engine<Template, Context, Out, Made>): void {
  const steps = new WeakMap<object, number>()
  const render = renderer.renderTemplates.bind(renderer)
  renderer.renderTemplates = (templates, context, emitter) => {
    const done = (steps.get(context.memoryLimit) ?? 0) + 1
    if (done > MOST_STEPS) throw new Error(`its loops go round over ${MOST_STEPS.toLocaleString('en')} times`)
    steps.set(context.memoryLimit, done)
    const made = emitter?.buffer
    if (typeof made === 'string' && made.length > MOST_OUTPUT) throw new Error('it makes a page of over 32 MiB')
    return render(templates, context, emitter)
  }
}

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/Maximum call stack size exceeded/, 'it is a part of itself, over and over'],
  [/memory alloc limit exceeded/, 'its ranges, lists and texts hold over 16 million items'],
  [/template render limit exceeded/, 'it takes too long'],
]

/** The words for a limit that a template went over; other messages as they are. */
export function templateFault(message: string): string {
  for (const [limit, words] of WORDS) if (limit.test(message)) return message.replace(limit, words)
  return message
}
