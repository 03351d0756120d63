import type { ModuleContext } from '#module/context.ts'
import type { AddedFilter, AddedMarkdown, AddedTag, SiteExtensions } from '../site-extensions.ts'
import type { LoadedModule, ModuleSet } from './module-set.ts'

/** The dependencies of what modules add to pages. */
export interface SiteExtensionsDeps {
  readonly modules: Pick<ModuleSet, 'on'>
  readonly contextOf: (module: LoadedModule) => ModuleContext
}

/** Returns the filters, tags and rules of Markdown that modules add to pages; undefined where they add none. */
export function siteExtensions({ modules, contextOf }: SiteExtensionsDeps): SiteExtensions | undefined {
  const adding = modules.on.filter(({ definition: { filters, tags, markdown } }) => filters ?? tags ?? markdown)
  if (adding.length === 0) return undefined
  return {
    stamp: JSON.stringify(adding.map(({ name, version, folder, tree }) => [name, version, tree ?? folder ?? ''])),
    filters: adding.flatMap(filtersOf),
    tags: adding.flatMap(tagsOf),
    markdown: adding.flatMap((module) => markdownOf(module, contextOf)),
  }
}

function filtersOf({ name: module, definition }: LoadedModule): AddedFilter[] {
  return Object.entries(definition.filters ?? {}).map(([name, filter]) => ({
    name,
    apply: (...values) => madeBy(`The filter "${name}" of the module "${module}"`, () => filter(...copies(values))),
  }))
}

function tagsOf({ name: module, definition }: LoadedModule): AddedTag[] {
  return Object.entries(definition.tags ?? {}).map(([name, tag]) => {
    const what = `The tag "${name}" of the module "${module}"`
    return {
      name,
      make: (...values) =>
        printable(
          what,
          madeBy(what, () => tag(...copies(values))),
        ),
    }
  })
}

function markdownOf(module: LoadedModule, contextOf: SiteExtensionsDeps['contextOf']): AddedMarkdown[] {
  const { name, definition, entry } = module
  const { markdown } = definition
  if (!markdown) return []
  let isTold = false
  const use = (parser: unknown) => {
    try {
      markdown.call(definition, parser)
    } catch (error) {
      if (!isTold) contextOf(module).log.error(`Its rules of Markdown are left out: ${wordsOf(error)}`, error)
      isTold = true
    }
  }
  return [{ module: name, entry, use }]
}

/** Lists are other pages', too: a module gets one of its own. */
function copies(values: readonly unknown[]): [unknown, ...unknown[]] {
  const [value, ...others] = values.map((one) => (Array.isArray(one) ? [...one] : one))
  return [value, ...others]
}

function madeBy(what: string, make: () => unknown): unknown {
  let made: unknown
  try {
    made = make()
  } catch (error) {
    throw new Error(`${what} failed: ${wordsOf(error)}`)
  }
  // Nothing waits within a template.
  if (made instanceof Promise) {
    made.catch(() => undefined)
    throw new Error(`${what} is not ready at once: it returns a promise`)
  }
  return made
}

function printable(what: string, made: unknown): string | { readonly html: string } {
  if (typeof made === 'string') return made
  if (typeof made === 'number') return String(made)
  const html = typeof made === 'object' && made !== null && 'html' in made ? made.html : undefined
  if (typeof html === 'string') return { html }
  throw new Error(`${what} makes neither a text nor { html }`)
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
