import { type FilterImplOptions, Liquid, Context as LiquidContext, type LiquidOptions, type Template } from 'liquidjs'
import { Budget } from './budget.ts'
import { ClosureCompiler } from './compiler.ts'
import { tellTime } from './moments.ts'
import type { Context, Run } from './node.ts'
import { Out } from './out.ts'
import { inSlices } from './slices.ts'
import { type Call, callTagOf } from './tags/calls.ts'
import { boundFilter, boundTemplates, TEMPLATE_LIMITS } from './template-bounds.ts'
import { type TemplateError, templateError, unparsable } from './template-error.ts'

/** The options of LiquidJS that a set of templates may have. */
export interface TemplateOptions
  extends Pick<LiquidOptions, 'extname' | 'locale' | 'timezoneOffset' | 'outputEscape' | 'renderLimit'> {
  /** Milliseconds that closures may take for a rendering, in which no other work runs. */
  readonly atOnceMs?: number
  /**
   * Returns the moment that `now` and `today` are in filters for dates, by the globals of a rendering; undefined where they are texts as
   * any others. Without it they are the time of the machine.
   */
  readonly momentOf?: (globals: unknown) => number | undefined
}

const COUNTING = /increment|decrement/
/** Enough for a list of some thousands. */
const AT_ONCE_MS = 50

/**
 * Templates by their file names, rendered by closures over what LiquidJS parses, and by LiquidJS itself where they end badly or
 * take long. A template can name no file but another of them, sees own properties alone, and is bounded. Filters may be applied
 * twice for one rendering. Data are as they were afterwards: LiquidJS counts (`increment`) in them.
 */
export class Templates {
  /** Milliseconds that closures may take for a rendering, in which no other work runs. */
  atOnceMs: number
  readonly #liquid: Liquid
  readonly #compiler: ClosureCompiler
  readonly #extension: string
  /** True if a template may have a tag that changes its data. */
  readonly #mayCount: boolean
  /** The closures of templates that were rendered before, by their names. */
  readonly #runs = new Map<string, Run>()
  /** The reasons why texts can't be parsed. */
  readonly #broken = new Map<string, unknown>()

  constructor(texts: Readonly<Record<string, string>>, { atOnceMs = AT_ONCE_MS, momentOf, ...options }: TemplateOptions = {}) {
    this.#extension = options.extname ?? ''
    this.atOnceMs = atOnceMs
    this.#mayCount = Object.values(texts).some((text) => COUNTING.test(text))
    this.#liquid = new Liquid({
      ...options,
      ...TEMPLATE_LIMITS,
      templates: { ...texts },
      cache: true,
      ownPropertyOnly: true,
      strictFilters: true,
    })
    boundTemplates(this.#liquid)
    if (momentOf) tellTime(this.#liquid.filters, momentOf)
    this.#readOnce(this.#liquid.options.fs)
    this.#compiler = new ClosureCompiler(this.#liquid)
  }

  /** Adds a filter, within the bounds of the others. Its `this.context.globals` is what `render` was given. */
  addFilter(name: string, filter: FilterImplOptions): void {
    const made = typeof filter === 'function' ? boundFilter(filter) : { ...filter, handler: boundFilter(filter.handler) }
    this.#liquid.registerFilter(name, made)
  }

  /** Adds a tag `{% name a, b %}` that is a call. It may be made twice for one rendering. */
  addTag(name: string, call: Call): void {
    this.#liquid.registerTag(name, callTagOf(call))
  }

  /** The names of all filters and tags. */
  get names(): { readonly filters: ReadonlySet<string>; readonly tags: ReadonlySet<string> } {
    const { filters, tags } = this.#liquid
    return { filters: new Set(Object.keys(filters)), tags: new Set(Object.keys(tags)) }
  }

  /** Returns the reason why a template, by its name without the extension, can't be parsed; undefined if it can. */
  fault(name: string): TemplateError | undefined {
    try {
      this.#liquid.parseFileSync(name)
      return undefined
    } catch (error) {
      return this.#failure(error, name)
    }
  }

  /** Renders a template, by its name without the extension; in slices if it takes long. Rejects with TemplateError. */
  async render(name: string, data: object, globals: object = {}): Promise<string> {
    const made = this.atOnce(name, data, globals)
    if (made !== undefined) return made
    const restore = this.#mayCount ? keeping(data) : undefined
    try {
      return String(await inSlices(this.#liquid._renderFile(name, data, { globals, sync: true })))
    } catch (error) {
      throw this.#failure(error, name)
    } finally {
      restore?.()
    }
  }

  /** The text by closures alone, as `render` has it; undefined where LiquidJS is to render it. */
  atOnce(name: string, data: object, globals: object = {}): string | undefined {
    const restore = this.#mayCount ? keeping(data) : undefined
    try {
      return this.#byClosures(name, data, globals, new Budget(this.atOnceMs))
    } catch (error) {
      this.#remember(error)
      return undefined
    } finally {
      restore?.()
    }
  }

  #byClosures(name: string, data: object, globals: object, budget: Budget): string {
    const liquid = this.#liquid
    const run = this.#runs.get(name) ?? this.#compiler.list(budget.settled(liquid._parseFile(name, true)) as Template[])
    this.#runs.set(name, run)
    // LiquidJS declares its limiters by their class, of which it uses two methods.
    const limits = { memoryLimit: budget, renderLimit: budget, liquid } as unknown as { liquid: Liquid }
    const context = new LiquidContext(data, liquid.options, { globals, sync: true }, limits)
    const out = new Out()
    run(context as unknown as Context, out)
    return out.buffer
  }

  #failure(error: unknown, name: string): TemplateError {
    this.#remember(error)
    return templateError(error, name + this.#extension)
  }

  #remember(error: unknown): void {
    const file = unparsable(error)
    if (file !== undefined) this.#broken.set(file, error)
  }

  /** Has what could not be parsed once be refused at once. */
  #readOnce(fs: Liquid['options']['fs']): void {
    const read = fs.readFileSync.bind(fs)
    fs.readFileSync = (file) => {
      const broken = this.#broken.get(file)
      if (broken !== undefined) throw broken
      return read(file)
    }
  }
}

/** Returns what puts an object's own properties back as they are now. */
function keeping(data: object): () => void {
  const before = Object.getOwnPropertyDescriptors(data)
  return () => {
    for (const name of Reflect.ownKeys(data)) if (!Object.hasOwn(before, name)) Reflect.deleteProperty(data, name)
    Object.defineProperties(data, before)
  }
}
