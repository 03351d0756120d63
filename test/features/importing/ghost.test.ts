import { join } from 'node:path'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { exportOf, importInto, PIXEL } from '#support/importing.ts'
import { eachStore } from '#support/stores.ts'

function post(slug: string, fields: object = {}): object {
  const html = `<p>Text of <b>${slug}</b>. <img src="__GHOST_URL__/content/images/size/w600/2020/sea.png" alt="Sea"> <a href="__GHOST_URL__/other/">other</a></p>`
  const common = { id: slug, slug, title: `The ${slug}`, html, type: 'post', status: 'published', visibility: 'public' }
  return { ...common, published_at: '2020-03-04T05:06:07.000Z', updated_at: '2021-01-01 00:00:00', ...fields }
}

const DATA = {
  posts: [
    post('open', { feature_image: '__GHOST_URL__/content/images/2020/sea.png', custom_excerpt: 'Short.' }),
    post('members', { visibility: 'members' }),
    post('paid', { visibility: 'paid' }),
    post('tiers', { visibility: 'tiers' }),
    post('odd', { visibility: 'whoever' }),
    post('draft', { status: 'draft', published_at: null }),
    post('sent', { status: 'sent' }),
    post('mailed'),
    post('letter', { email_only: '1' }),
    post('other', {
      email_only: 0,
      type: undefined,
      page: 1,
      feature_image: undefined,
      image: '__GHOST_URL__/content/images/2020/sea.png',
    }),
    post('gated', { html: '<p>a</p><!--kg-gated-block:begin nonMember:false--><p>b</p><!--kg-gated-block:end-->' }),
    post('carded', { html: null, plaintext: 'a b', lexical: '{"root":{"visibility":{"web":{"nonMember": false}}}}' }),
    post('marked', {
      html: null,
      mobiledoc: JSON.stringify({ cards: [['markdown', { markdown: 'a <!--kg-gated-block:begin --> b' }]] }),
    }),
    post('later', { status: 'scheduled', published_at: '2099-01-01T00:00:00.000Z' }),
    post('someday', { status: 'scheduled', published_at: null }),
    post('missed', { status: 'scheduled', published_at: '2020-01-01T00:00:00.000Z' }),
    post('climbs', { html: '<img src="__GHOST_URL__/content/images/../../../outside.png">' }),
    post('about', { type: 'page' }),
    post('old', { html: null, mobiledoc: JSON.stringify({ cards: [['card-markdown', { markdown: '# Old *text*' }]] }) }),
    post('plain', { html: null, lexical: '{"root":{}}', plaintext: 'Only words.' }),
  ],
  posts_meta: [{ post_id: 'mailed', email_only: 1 }],
  tags: [
    { id: 't1', name: 'News & more', slug: 'news', visibility: 'public', description: 'All news' },
    { id: 't2', name: '#mine', slug: 'hash-mine', visibility: 'internal' },
    { id: 't3', name: 'Inner', slug: 'inner', visibility: 'internal' },
  ],
  posts_tags: [
    { post_id: 'open', tag_id: 't2', sort_order: 0 },
    { post_id: 'open', tag_id: 't1', sort_order: 1 },
  ],
  users: [
    { id: 'u1', name: 'Ada L.', slug: 'ada', email: 'ada@example.org', password: 'hash' },
    { id: 'u3', name: 'Eve', slug: 'eve' },
    { id: 'u2', name: 'Nobody', slug: 'nobody', email: 'nobody@example.org' },
  ],
  posts_authors: [
    { post_id: 'open', author_id: 'u1', sort_order: 0 },
    { post_id: 'members', author_id: 'u1', sort_order: 0 },
    { post_id: 'paid', author_id: 'u3', sort_order: 0 },
    { post_id: 'mailed', author_id: 'u3', sort_order: 0 },
  ],
  settings: [
    { key: 'title', value: 'Old' },
    { key: 'description', value: 'A tagline' },
    { key: 'stripe_secret_key', value: 'sk_secret' },
  ],
}

t.test('an export of Ghost comes whole, and nothing of it becomes public that was not', async (t) => {
  const folder = exportOf(t, {
    'export.json': `\ufeff${JSON.stringify({ db: [{ meta: {}, data: DATA }] })}`,
    'content/images/2020/sea.png': PIXEL,
  })
  await eachStore(t, { history: true }, async (t, opened) => {
    const { store } = opened
    const report = await importInto(opened, 'ghost', folder)
    t.strictSame(report.problems, [])
    const open = await store.get(keyOf('posts', 'open'))
    t.match(open?.fields, {
      ...{ title: 'The open', status: 'published', published_at: '2020-03-04T05:06:07.000Z', author: 'ada', tags: ['news'] },
      ...{ excerpt: 'Short.', cover: '/media/2020/sea.png', aliases: ['/open'] },
    })
    t.equal(open?.body, 'Text of **open**. ![Sea](/media/2020/sea.png) [other](/other/)\n')
    for (const id of [
      'members',
      'paid',
      'tiers',
      'odd',
      'draft',
      'sent',
      'mailed',
      'letter',
      'gated',
      'carded',
      'marked',
      'someday',
      'missed',
    ])
      t.equal((await store.head(keyOf('posts', id)))?.fields.status, 'draft', `${id} is a draft`)
    t.match((await store.head(keyOf('posts', 'later')))?.fields, {
      status: 'published',
      published_at: '2099-01-01T00:00:00.000Z',
    })
    t.match((await store.head(keyOf('pages', 'about')))?.fields, { title: 'The about', aliases: undefined })
    t.equal((await store.get(keyOf('posts', 'old')))?.body, '# Old *text*')
    t.match((await store.head(keyOf('pages', 'other')))?.fields, { status: 'published', cover: '/media/2020/sea.png' })
    t.equal((await store.get(keyOf('posts', 'plain')))?.body, 'Only words.')
    t.match((await store.head(keyOf('taxonomy/tags', 'news')))?.fields, { name: 'News & more', description: 'All news' })
    for (const id of ['hash-mine', 'inner']) t.equal(await store.head(keyOf('taxonomy/tags', id)), undefined, id)
    for (const [id, status] of Object.entries({ ada: 'published', eve: 'draft' }))
      t.equal((await store.head(keyOf('authors', id)))?.fields.status, status, 'who wrote nothing that is public is not')
    t.equal(await store.head(keyOf('authors', 'nobody')), undefined, 'who wrote nothing is nobody here')
    t.match((await store.head(keyOf('settings', 'site')))?.fields, { tagline: 'A tagline' })
    const all = await Promise.all(
      (await store.kinds()).map(async (kind) => (await store.browse(kind, {})).items.map(({ source }) => source?.toString())),
    )
    t.notMatch(all.flat().join('\n'), /example\.org|sk_secret|hash|#mine/, 'no address, no secret, no tag of the inside')
    t.match(await importInto(opened, 'ghost', join(folder, 'export.json')), {
      records: { posts: { created: 0, updated: 0, kept: 0 } },
    })
  })
})

t.test('a site of Ghost that asked for a password comes as drafts', async (t) => {
  const settings = [{ key: 'is_private', value: 'true' }]
  const folder = exportOf(t, { 'export.json': JSON.stringify({ db: [{ data: { ...DATA, settings } }] }) })
  await eachStore(t, {}, async (t, { store, ...opened }) => {
    await importInto({ store, ...opened }, 'ghost', folder)
    for (const kind of ['posts', 'pages', 'authors'])
      for (const { key, fields } of (await store.heads(kind, {})).items) t.equal(fields.status, 'draft', key.id)
  })
})

t.test('tags of nothing that was public are told to nobody', async (t) => {
  const tags = ['open', 'later', 'hush', 'unused'].map((slug) => ({ id: slug, name: `The ${slug}`, slug, description: 'A plan' }))
  const posts = [
    post('open'),
    post('later', { status: 'scheduled', published_at: '2099-01-01T00:00:00.000Z' }),
    post('hush', { status: 'draft' }),
  ]
  const posts_tags = posts.map((one) => ({ post_id: (one as { id: string }).id, tag_id: (one as { id: string }).id }))
  const [open, closed] = [[], [{ key: 'is_private', value: true }]].map((settings) =>
    exportOf(t, { 'export.json': JSON.stringify({ data: { posts, tags, posts_tags, settings } }) }),
  )
  await eachStore(t, {}, async (t, opened) => {
    const declared = async () => (await opened.store.heads('taxonomy/tags', {})).items.map(({ key }) => key.id).sort()
    t.match(await importInto(opened, 'ghost', closed ?? ''), { problems: [] })
    t.strictSame(await declared(), [])
    const { left_out } = await importInto(opened, 'ghost', open ?? '')
    t.strictSame(await declared(), ['later', 'open'])
    t.match(
      left_out.filter(({ reason }) => reason.startsWith('tags')),
      [{ count: 2, first: ['The hush', 'The unused'] }],
    )
    t.match((await opened.store.head(keyOf('posts', 'hush')))?.fields, { status: 'draft', tags: ['hush'] })
  })
})

t.test('names that can be no ids, and names of pictures in another form, find their places', async (t) => {
  const html = '<p><img src="__GHOST_URL__/content/images/caf\u00e9/\u1ec7.png"></p>'
  const posts = [post('con', { html }), post('aux', { type: 'page' })]
  const tags = [{ id: 't', name: 'CON', slug: 'con' }]
  const data = { posts, tags, posts_tags: [{ post_id: 'con', tag_id: 't' }] }
  const folder = exportOf(t, { 'x.json': JSON.stringify({ data }), 'content/images/cafe\u0301/e\u0323\u0302.png': PIXEL })
  await eachStore(t, {}, async (t, opened) => {
    t.match(await importInto(opened, 'ghost', folder), { problems: [], media: { created: 1 } })
    const record = await opened.store.get(keyOf('posts', 'file-con'))
    t.match(record, { fields: { aliases: ['/con'], tags: ['file-con'] }, body: '![](/media/caf%C3%A9/%E1%BB%87.png)\n' })
    t.ok(await opened.store.head(keyOf('taxonomy/tags', 'file-con')))
    t.ok(await opened.store.head(keyOf('pages', 'file-aux')))
  })
})

t.test('what is no export of Ghost is named', async (t) => {
  const folder = exportOf(t, { 'a/x.json': '{', 'b/x.json': '{"a":1}', 'c/x.json': '{"data":{"posts":[]}}', 'd/x.txt': '' })
  await eachStore(t, {}, async (t, opened) => {
    await t.rejects(importInto(opened, 'ghost', join(folder, 'a')), /can't be read/)
    await t.rejects(importInto(opened, 'ghost', join(folder, 'b')), /no posts/)
    t.match(await importInto(opened, 'ghost', join(folder, 'c')), { records: {} })
    await t.rejects(importInto(opened, 'ghost', join(folder, 'd')), /no export/)
    await t.rejects(importInto(opened, 'ghost', join(folder, 'none')), /no export/)
  })
})
