import type { AddedFilter, AddedMarkdown, AddedTag, SiteExtensions } from '../site-extensions.ts'
import type { ActiveModule } from './host.ts'
import { wordsOf } from './module-log.ts'
import type { LoadedModule } from './module-set.ts'

/** Returns the filters, tags and rules of Markdown that modules add to pages; undefined where they add none. */
export function siteExtensions(active: readonly Adding[]): SiteExtensions | undefined {
  const adding = active.filter(({ module: { definition } }) => definition.filters ?? definition.tags ?? definition.markdown)
  if (adding.length === 0) return undefined
  const modules = adding.map(({ module }) => module)
  return {
    stamp: JSON.stringify(modules.map(({ name, version, tree = '' }) => [name, version, tree])),
    filters: modules.flatMap(filtersOf),
    tags: modules.flatMap(tagsOf),
    markdown: adding.flatMap(markdownOf),
  }
}

/** A module at work, as far as it adds to pages. */
export type Adding = Pick<ActiveModule, 'module' | 'context'>

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

function markdownOf({ module: { name, definition, entry }, context }: Adding): AddedMarkdown[] {
  const { markdown } = definition
  if (!markdown) return []
  let isTold = false
  const use = (parser: unknown) => {
    try {
      markdown.call(definition, parser)
    } catch (error) {
      if (!isTold) context.log.error(`Its rules of Markdown are left out: ${wordsOf(error)}`, error)
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
