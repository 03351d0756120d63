import { Liquid } from 'liquidjs'
import t from 'tap'
import { settled } from '#features/modules/loading/claims.ts'
import { addFilters } from '#features/site/theme/filters.ts'
import { SITE_FILTERS } from '#features/site-filters.ts'
import { LIQUID_FILTERS, LIQUID_TAGS } from '#liquid/names.ts'
import type { Templates } from '#liquid/templates.ts'
import type { ModuleDefinition } from '#module/module.ts'
import { loaded } from '#support/module-panel.ts'

t.test('the names that are ours are those that templates have', async (t) => {
  const { filters, tags } = new Liquid()
  t.same([...LIQUID_FILTERS].sort(), Object.keys(filters).sort())
  t.same([...LIQUID_TAGS].sort(), Object.keys(tags).sort())
  const names: string[] = []
  const templates = { addFilter: (name: string) => void names.push(name) } as unknown as Templates
  addFilters(templates, { locale: 'en', timezone: 'UTC' } as Parameters<typeof addFilters>[1])
  t.same([...SITE_FILTERS].sort(), names.sort())
})

t.test('a module that takes a name of ours, or of one before it, is off and says so; others are on', async (t) => {
  const page = { label: 'X', group: 'site', parts: async () => [] } as const
  const resource = { label: 'X', group: 'site', fields: [] } as const
  const cases: readonly (readonly [Omit<ModuleDefinition, 'api'>, RegExp])[] = [
    [{ filters: { upcase: String } }, /the filter "upcase", which is one of Quire's own/],
    [{ filters: { absolute_url: String } }, /the filter "absolute_url"/],
    [{ filters: { 'a b': String } }, /"a b" can't be the name of a filter/],
    [{ tags: { for: () => '' } }, /the tag "for", which is one of Quire's own/],
    [{ fieldTypes: { text: { base: 'text' } } }, /the field type "text", which is one of Quire's own/],
    [{ fieldTypes: { plate: { base: 'txt' } } }, /"plate" is made of "txt", and there is no such type/],
    [{ pages: [{ ...page, name: '../x' }] }, /"..\/x" can't be the name of a page/],
    [
      { pages: [{ ...page, name: 'a' }], resources: [{ ...resource, name: 'a' }] },
      /Two of its pages and resources have the name "a"/,
    ],
    [{ pages: [{ ...page, name: 'a', scope: 'rule:all' }] }, /asks for the right "rule:all"/],
    [{ pages: [{ ...page, name: 'a', group: 'top' as 'site' }] }, /is in the group "top"/],
    [{ pages: [{ ...page, name: 'a', files: { 'a/b': async () => ({ type: 'text/csv', text: '' }) } }] }, /the name of a file/],
    [{ filters: { shout: String } }, /the filter "shout", which is the module "first"'s/],
  ]
  const first = loaded('first', { filters: { shout: String } })
  const fine = loaded('fine', { filters: { whisper: String }, pages: [{ ...page, name: 'a' }] })
  for (const [definition, words] of cases) {
    const { on, off } = settled([first, loaded('odd', definition), fine])
    t.same(
      on.map(({ name }) => name),
      ['first', 'fine'],
    )
    t.match(off, [{ name: 'odd', reason: words }])
  }
})
