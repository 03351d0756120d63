import t from 'tap'
import { comparisonOf, contentTypes, type TypeInput, typeFault } from '#core/types/types.ts'

const statuses = {
  draft: { live: false, to: ['published'] },
  published: { live: true, to: ['draft'] },
}
const taxonomies = { categories: { singular: 'category', hierarchical: true }, tags: { singular: 'tag', hierarchical: false } }

function typesOf(types: Record<string, TypeInput> = {}) {
  return contentTypes({ types, taxonomies, statuses, timezone: 'Europe/Vienna' })
}

t.test('a folder that nothing declares is a type that takes any field', async (t) => {
  const type = typesOf().get('blog_posts')
  t.match(type, {
    name: 'blog_posts',
    label: 'Blog posts',
    declared: false,
    additionalFields: true,
    record: true,
    permalink: '/{type}/{path}',
    template: null,
    path: null,
    html: 'clean',
    defaultStatus: 'published',
    liveStatus: 'published',
    timezone: 'Europe/Vienna',
  })
  t.equal(type?.fields.size, 0)
  t.strictSame(type?.sort, [{ field: 'published_at', descending: true, as: 'instant' }])
  t.strictSame(
    type?.taxonomies.map((kind) => kind.name),
    ['categories', 'tags'],
  )
  t.strictSame([...(type?.statuses.keys() ?? [])], ['draft', 'published'])
  t.equal(typesOf().get('pages')?.permalink, '/{path}', 'pages are at the top')
})

t.test('no type has a name that is a route, a system folder or no folder', async (t) => {
  for (const name of [
    'types',
    'search',
    'taxonomy',
    'menus',
    'media',
    'settings',
    'Settings',
    'Media',
    '.tokens',
    'taxonomy/tags',
    '_drafts',
    'a~b',
    'con',
    '',
    'a/b',
    '__proto__',
  ]) {
    t.equal(typesOf().get(name), undefined, name)
    t.ok(typeFault(name), name)
  }
  t.equal(typeFault('Notizen für später'), undefined)
})

t.test('a declared type has what it says, and the defaults for the rest', async (t) => {
  const types = typesOf({
    posts: {
      permalink: '/blog/{slug}',
      default_status: 'draft',
      taxonomies: ['tags'],
      map: { autor: 'author' },
      sort: 'price, -title',
      fields: {
        price: { type: 'number', rules: 'required|min:0' },
        starts: { type: 'datetime' },
        size: { type: 'select', rules: 'in: S, M' },
        colour: { type: 'select', options: ['red'], label: 'Farbe' },
        author: { type: 'reference', to: 'authors', default: 'ada' },
      },
    },
    hidden: { permalink: null, additional_fields: true },
  })
  const posts = types.get('posts')
  t.match(posts, {
    declared: true,
    label: 'Posts',
    additionalFields: false,
    permalink: '/blog/{slug}',
    defaultStatus: 'draft',
    map: { autor: 'author' },
  })
  t.strictSame(posts?.taxonomies, [{ name: 'tags', singular: 'tag', hierarchical: false }])
  t.strictSame(posts?.sort, [
    { field: 'price', descending: false, as: 'number' },
    { field: 'title', descending: true, as: 'text' },
  ])
  t.strictSame(posts?.instants, { starts: true })
  t.strictSame(posts?.fields.get('price')?.rules, [{ name: 'required' }, { name: 'min', argument: '0' }])
  t.strictSame(posts?.fields.get('size')?.options, ['S', 'M'], 'the options of a select may come from its rule')
  t.match(posts?.fields.get('colour'), { label: 'Farbe', options: ['red'] })
  t.match(posts?.fields.get('author'), { to: 'authors', default: 'ada', label: 'Author' })
  t.equal(types.get('hidden')?.permalink, null, 'null is no page, and not the default')
  t.strictSame(
    types.declared().map((type) => type.name),
    ['posts', 'hidden'],
  )
  t.strictSame(
    types.taxonomies().map((kind) => kind.singular),
    ['category', 'tag'],
  )
  t.equal(types.get('posts'), posts, 'a type is made once')
})

t.test('terms, menus and private kinds are plain data', async (t) => {
  const types = typesOf()
  for (const kind of ['taxonomy/tags', 'menus', '.tokens']) {
    t.match(
      types.shape(kind),
      { record: false, map: {}, taxonomies: [], instants: {}, defaultStatus: '', timezone: 'Europe/Vienna' },
      kind,
    )
    t.equal(types.shape(kind).statuses.size, 0)
  }
  t.equal(types.shape('posts'), types.get('posts'), 'a type is its own shape')
})

t.test('names that requests ask for do not fill the memory', async (t) => {
  const types = typesOf()
  const before = types.get('first')
  for (let n = 0; n < 5000; n++) types.get(`t${n}`)
  t.equal(types.get('first'), before)
  t.not(types.get('t4999'), types.get('t4999'), 'beyond a thousand, none is kept')
})

t.test('the live status is published, else the first that is live', async (t) => {
  const own = { draft: { live: false, to: [] }, out: { live: true, to: [] } }
  t.match(contentTypes({ types: {}, taxonomies, statuses: own, timezone: 'UTC' }).get('a'), {
    liveStatus: 'out',
    defaultStatus: 'out',
  })
})

t.test('values are compared by what their field is declared to be', async (t) => {
  const fields = typesOf({
    a: {
      fields: { n: { type: 'integer' }, d: { type: 'date' }, s: { type: 'text' }, l: { type: 'list' }, b: { type: 'boolean' } },
    },
  }).get('a')?.fields
  const as = (name: string) => comparisonOf(name, fields ?? new Map())
  t.strictSame(['n', 'd', 's', 'l', 'b', 'created_at', 'title', 'other'].map(as), [
    'number',
    'instant',
    'text',
    'any',
    'boolean',
    'instant',
    'text',
    'any',
  ])
})

t.test('a type that is declared without fields stays open, unless it says otherwise', async (t) => {
  const open = (type: TypeInput) =>
    contentTypes({ types: { a: type }, taxonomies: {}, statuses: { published: { live: true, to: [] } }, timezone: 'UTC' }).get(
      'a',
    )?.additionalFields
  t.equal(open({ permalink: '/a/{slug}' }), true)
  t.equal(open({ additional_fields: null }), true)
  t.equal(open({ additional_fields: false }), false)
  t.equal(open({ fields: { x: { type: 'text' } } }), false)
  t.equal(open({ fields: { x: { type: 'text' } }, additional_fields: true }), true)
})
