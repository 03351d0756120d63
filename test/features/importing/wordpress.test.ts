import { join } from 'node:path'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { bodyOf } from '#features/importing/wordpress/bodies.ts'
import { exportOf, importInto, PIXEL } from '#support/importing.ts'
import { longTest } from '#support/long.ts'
import { eachStore } from '#support/stores.ts'

/** An item of an export. */
function item(elements: Readonly<Record<string, string>>, more = ''): string {
  const texts = Object.entries(elements).map(([name, text]) => `<${name}><![CDATA[${text}]]></${name}>`)
  return `<item>${texts.join('\n')}${more}</item>\n`
}

function post(name: string, elements: Readonly<Record<string, string>>, more = ''): string {
  return item(
    {
      title: name,
      link: `https://old.example.org/2020/03/${name}/`,
      'dc:creator': 'ada',
      'wp:post_id': String(name.length * 100 + name.charCodeAt(0)),
      'wp:post_name': name,
      'wp:post_date_gmt': '2020-03-04 05:06:07',
      'wp:status': 'publish',
      'wp:post_type': 'post',
      'content:encoded': `<!-- wp:paragraph --><p>Text of ${name}.</p><!-- /wp:paragraph -->`,
      ...elements,
    },
    more,
  )
}

function exported(items: readonly string[], head = ''): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"><channel>
<title>Old &amp; good</title><link>https://old.example.org</link><description>A tagline</description><language>en-US</language>
<wp:author><wp:author_login><![CDATA[ada]]></wp:author_login><wp:author_email>ada@example.org</wp:author_email><wp:author_display_name><![CDATA[Ada L.]]></wp:author_display_name></wp:author>
<wp:category><wp:category_nicename>news</wp:category_nicename><wp:category_parent></wp:category_parent><wp:cat_name><![CDATA[News & more]]></wp:cat_name></wp:category>
<wp:category><wp:category_nicename>local</wp:category_nicename><wp:category_parent>news</wp:category_parent><wp:cat_name>Local</wp:cat_name></wp:category>
${head}${items.join('')}</channel></rss>`
}

const CLASSIC =
  'First line\nsecond line\n\n[caption id="x" align="left"]<a href="/big"><img src="https://old.example.org/wp-content/uploads/2020/sea-300x200.png" alt="Sea" /></a> The sea[/caption]\n\nhttps://www.youtube.com/watch?v=abcdef12345\n\n[gallery ids="9,10"]\n\n[contact-form to="x"]'

const ITEMS = [
  post(
    'hello',
    { 'content:encoded': CLASSIC, 'excerpt:encoded': 'Short.', 'wp:post_modified_gmt': '2021-01-01 00:00:00' },
    '<category domain="category" nicename="local"><![CDATA[Local]]></category><category domain="post_tag" nicename="c"><![CDATA[C++]]></category><wp:postmeta><wp:meta_key>_thumbnail_id</wp:meta_key><wp:meta_value>9</wp:meta_value></wp:postmeta><wp:comment><wp:comment_content>Spam</wp:comment_content></wp:comment>',
  ),
  post('private', { 'wp:status': 'private' }),
  post('locked', { 'wp:post_password': 'sesame' }),
  post('pending', { 'wp:status': 'pending' }),
  post('odd', { 'wp:status': 'acf-disabled' }),
  post('draft', { 'wp:status': 'draft', 'wp:post_name': '', 'wp:post_date_gmt': '0000-00-00 00:00:00' }),
  post('later', { 'wp:status': 'future', 'wp:post_date_gmt': '2099-01-01 00:00:00' }),
  post('sometime', { 'wp:status': 'future', 'wp:post_date_gmt': '' }),
  post('binned', { 'wp:status': 'trash' }),
  post('binned__revision', { 'wp:post_type': 'revision', 'wp:status': 'inherit' }),
  post('auto', { 'wp:status': 'auto-draft' }),
  post('team', { 'wp:post_type': 'page', 'wp:post_id': '50', 'wp:post_parent': '51' }),
  post('about', { 'wp:post_type': 'page', 'wp:post_id': '51', link: 'https://old.example.org/about/' }),
  post('film', { 'wp:post_type': 'movie' }),
  post('message', { 'wp:post_type': 'feedback', link: 'https://old.example.org/?post_type=feedback&p=7' }),
  post('coupon', { 'wp:post_type': 'shop_coupon', link: '' }),
  item(
    {
      title: 'sea',
      'wp:post_id': '9',
      'wp:post_type': 'attachment',
      'wp:status': 'inherit',
      'wp:attachment_url': 'https://old.example.org/wp-content/uploads/2020/sea.png',
    },
    '<wp:postmeta><wp:meta_key>_wp_attachment_image_alt</wp:meta_key><wp:meta_value>The "sea"</wp:meta_value></wp:postmeta>',
  ),
]

const noted = (key: string, value: string) =>
  `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`
const around = (before: string, after: string) => ({ 'content:encoded': `<p>Seen.</p>${before}<p>Unseen.</p>${after}` })

t.test('what plugins kept from some readers does not become public', async (t) => {
  const author = (login: string) =>
    `<wp:author><wp:author_login>${login}</wp:author_login><wp:author_display_name>${login}</wp:author_display_name></wp:author>`
  const hidden = [
    post('jetpack', {}, noted('_jetpack_newsletter_access', 'paid_subscribers')),
    post('roles', {}, noted('_members_access_role', 'editor')),
    post('restricted', {}, noted('restrict_content', 'yes') + noted('restrict_content', '')),
    post('another', { 'wp:status': 'private' }, '<plugin:status>publish</plugin:status>'),
    post('levels', {}, noted('rcp_subscription_level', 'a:1:{i:0;s:1:"2";}')),
    post('shortcode', around('[members_only plan="a"]', '[/members_only]')),
    post('logged', around('[loggedin]', '[/loggedin]')),
    post('paid', around('<!-- wp:premium-content/container -->', '<!-- /wp:premium-content/container -->')),
    post('block', around('<!-- wp:group {"blockVisibility":{"hideBlock":true}} -->', '<!-- /wp:group -->')),
    post('mine', { 'dc:creator': 'eve', 'wp:status': 'draft' }),
    post('off', around('<!-- wp:group {"metadata":{"blockVisibility":false}} -->', '<!-- /wp:group -->')),
    ...['s2If', 'mepr-active', 'um_show_content', 'armif', 'passster', 'ppwp', 'draft', 'user_only', 'role', 'expire'].map(
      (name) => post(`code-${name.toLowerCase()}`, around(`[${name} a="b"]`, `[/${name}]`)),
    ),
    ...['_wpmem_block', 'ihc_mb_who', 'memberful_acl', '_pda_protection', '_ppwp_password', '_is_paid', 'groups-read'].map(
      (name) => post(`note-${name.replaceAll('_', '')}`, {}, noted(name, 'reg')),
    ),
    ...['groups-groups_read_post', 'patreon-level', 'arm_access_plan', '_wppcp_post_page_visibility'].map((name) =>
      post(`note-${name.replaceAll('_', '')}`, {}, noted(name, '5')),
    ),
  ]
  const open = [
    post('everyone', {}, noted('_jetpack_newsletter_access', 'everybody') + noted('_wc_memberships_force_public', 'yes')),
    post('team', around('[team_member]<!-- wp:coblocks/team-member --><!-- wp:loginout /-->', '[/team_member][/slide]')),
  ]
  const folder = exportOf(t, {
    'export.xml': exported(
      [
        ...[...hidden, ...open],
        post('ends', {}, noted('_expiration-date', '4102444800') + noted('_expiration-date-status', 'saved')),
        post('stays', {}, noted('_expiration-date', '4102444800')),
        post('passed', {}, noted('_yoast_wpseo_meta-robots-noindex', '1')),
        post('ranked', {}, noted('rank_math_robots', 'a:1:{i:0;s:7:"noindex";}')),
      ],
      author('eve'),
    ),
    'uploads/2020/sea.png': PIXEL,
    'uploads/2021/.htaccess': '<FilesMatch "\\.php$">\nDeny from all\n</FilesMatch>\n',
    'uploads/2021/sky.png': PIXEL,
    'uploads/sold/.htaccess': '# nobody\n  deny from all\n',
    'uploads/sold/deep/book.png': PIXEL,
    'uploads/woocommerce_uploads/2020/book.png': PIXEL,
  })
  await eachStore(t, {}, async (t, opened) => {
    const { store } = opened
    const report = await importInto(opened, 'wordpress', folder)
    const posts = (await store.heads('posts', {})).items
    const having = (status: string) => posts.filter(({ fields }) => fields.status === status).map(({ key }) => key.id)
    const drafts = having('draft').sort()
    t.strictSame(
      drafts.filter((id) => !/^(?:code|note)-/.test(id)),
      ['another', 'block', 'jetpack', 'levels', 'logged', 'mine', 'off', 'paid', 'restricted', 'roles', 'shortcode'],
    )
    t.equal(drafts.length, hidden.length)
    t.strictSame(having('published').sort(), ['ends', 'everyone', 'passed', 'ranked', 'stays', 'team'])
    const fields = async (id: string) => (await store.head(keyOf('posts', id)))?.fields
    t.match(await fields('ends'), { expires_at: '2100-01-01T00:00:00.000Z' })
    t.match(await fields('stays'), { expires_at: undefined })
    for (const id of ['passed', 'ranked']) t.match(await fields(id), { noindex: true })
    t.match((await store.head(keyOf('authors', 'eve')))?.fields.status, 'draft', 'who wrote nothing that is public')
    t.match((await store.head(keyOf('authors', 'ada')))?.fields.status, 'published')
    t.strictSame((await store.heads('media', {})).items.map(({ key }) => key.id).sort(), ['2020~sea.png', '2021~sky.png'])
    t.match(report.left_out, [{ count: 2, reason: /not for everyone/ }])
  })
})

t.test('an export of WordPress comes whole, and nothing of it becomes public that was not', async (t) => {
  const folder = exportOf(t, {
    'export.xml': exported(ITEMS),
    'uploads/2020/sea.png': PIXEL,
    'uploads/2020/sea-300x200.png': PIXEL,
  })
  await eachStore(t, { history: true }, async (t, opened) => {
    const { store } = opened
    const report = await importInto(opened, 'wordpress', folder)
    t.strictSame(report.problems, [])
    const hello = await store.get(keyOf('posts', 'hello'))
    t.match(hello?.fields, {
      ...{ title: 'hello', status: 'published', published_at: '2020-03-04T05:06:07.000Z', author: 'ada', excerpt: 'Short.' },
      ...{ categories: ['local'], tags: ['c'], cover: '/media/2020/sea.png', aliases: ['/2020/03/hello'] },
    })
    t.equal(
      hello?.body,
      'First line\\\nsecond line\n\n[![Sea](/media/2020/sea.png)](/big)\n\nThe sea\n\n{{< youtube abcdef12345 >}}\n\n![The "sea"](/media/2020/sea.png)\n\n\\[contact-form to="x"\\]\n',
    )
    for (const id of ['private', 'locked', 'pending', 'odd', 'draft-600'])
      t.equal((await store.head(keyOf('posts', id)))?.fields.status, 'draft', `${id} is a draft`)
    t.match((await store.head(keyOf('posts', 'later')))?.fields.published_at, '2099-01-01')
    t.match((await store.head(keyOf('posts', 'sometime')))?.fields.published_at, '9999')
    for (const id of ['binned', 'auto', 'binned-revision'])
      t.equal(await store.head(keyOf('posts', id)), undefined, `${id} is left out`)
    t.match((await store.head(keyOf('pages', 'about~team')))?.fields.title, 'team')
    t.match((await store.head(keyOf('pages', 'about')))?.fields.aliases, undefined)
    t.match((await store.head(keyOf('movie', 'film')))?.fields, { title: 'film', status: 'published' })
    for (const [type, id] of [
      ['feedback', 'message'],
      ['shop_coupon', 'coupon'],
    ] as const)
      t.equal((await store.head(keyOf(type, id)))?.fields.status, 'draft', `${id} had no address of its own`)
    t.match((await store.get(keyOf('authors', 'ada')))?.source?.toString(), /^---\ntitle: Ada L\.\n/)
    t.notMatch(
      (await store.get(keyOf('authors', 'ada')))?.source?.toString(),
      /example\.org/,
      'no address of a person becomes public',
    )
    t.match((await store.head(keyOf('taxonomy/categories', 'local')))?.fields, { name: 'Local', parent: 'news' })
    t.match((await store.head(keyOf('settings', 'site')))?.fields, { tagline: 'A tagline' })
    t.match(report.media, { created: 1 }, 'what WordPress made smaller is not taken')
    const reasons = report.left_out.map(({ reason, names }) => `${reason} ${names}`).join('\n')
    for (const words of [/in the bin/, /password/, /private/, /pending/, /acf-disabled/, /comments/, /revision/, /contact-form/])
      t.match(reasons, words)
    t.ok(report.notes.some((note) => note.includes('name: "Old & good"')))
    t.match(await importInto(opened, 'wordpress', join(folder, 'export.xml')), {
      records: { posts: { created: 0, updated: 0, kept: 0 }, pages: { same: 2 } },
      media: { same: 1 },
    })
  })
})

t.test('what is below a private forum does not become public, and pages below a private one do', async (t) => {
  const text = (id: number, parent: number, type: string, more: Readonly<Record<string, string>> = {}) =>
    post(`n${id}`, {
      'wp:post_id': `${id}`,
      'wp:post_parent': `${parent}`,
      'wp:post_type': type,
      'dc:creator': `w${id}`,
      ...more,
    })
  const HIDDEN = { 'wp:status': 'private' }
  const texts = [
    ...[text(3, 2, 'reply'), text(2, 1, 'topic'), text(1, 0, 'forum', HIDDEN)],
    ...[text(13, 12, 'reply'), text(12, 11, 'topic'), text(11, 0, 'forum')],
    ...[text(21, 0, 'page', HIDDEN), text(22, 21, 'page'), text(31, 32, 'topic'), text(32, 31, 'topic')],
  ]
  const authors = [2, 12].map((n) => `<wp:author><wp:author_login>w${n}</wp:author_login></wp:author>`).join('')
  const folder = exportOf(t, { 'x.xml': exported(texts, authors) })
  await eachStore(t, {}, async (t, opened) => {
    const { problems } = await importInto(opened, 'wordpress', folder)
    t.strictSame(problems, [])
    const found: string[] = []
    for (const kind of ['forum', 'topic', 'reply', 'pages', 'authors'])
      for (const { key, fields } of (await opened.store.heads(kind, {})).items)
        if (fields.status === 'published') found.push(`${kind}/${key.id}`)
    t.strictSame(found.sort(), ['authors/w12', 'forum/n11', 'pages/n21~n22', 'reply/n13', 'topic/n12', 'topic/n31', 'topic/n32'])
  })
})

t.test('a type of posts may have the name of anything that objects have', async (t) => {
  const types = ['constructor', '__proto__', 'toString', 'post']
  const folder = exportOf(t, { 'x.xml': exported(types.map((type, at) => post(`n${'x'.repeat(at)}`, { 'wp:post_type': type }))) })
  await eachStore(t, { history: true }, async (t, opened) => {
    const report = await importInto(opened, 'wordpress', folder)
    t.equal(
      Object.values(report.records).reduce((sum, { created }) => sum + created, 0),
      types.length + 1,
      'with their author',
    )
    t.strictSame(report.problems, [])
  })
})

longTest('an export that is cut short, is none, or means harm is named', async (t) => {
  const entities = '<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
  const whole = exported([post('one', { 'content:encoded': '<p>one</p>' }), post('two', {})])
  const folder = exportOf(t, {
    'cut.xml': whole.slice(0, whole.indexOf('<title>', whole.indexOf('two') - 60)),
    'other.xml': '<feed><title>No</title></feed>',
    'bomb.xml': whole.replace('?>', `?>${entities}`).replace('<title>Old &amp; good</title>', '<title>&b;&f;</title>'),
    'deep.xml': exported(['<a>'.repeat(300_000)]),
    'huge.xml': exported([post('huge', { 'content:encoded': `<p>${'word '.repeat(800_000)}</p>` })]),
    'none/x.txt': '',
  })
  await eachStore(t, { history: true }, async (t, opened) => {
    const run = (name: string) => importInto(opened, 'wordpress', join(folder, name))
    t.match(await run('cut.xml'), { records: { posts: { created: 1 } }, problems: [{ file: 'cut.xml', message: /cut short/ }] })
    t.match(await run('other.xml'), { records: {}, problems: [{ message: /no export of WordPress/ }] })
    const bomb = await run('bomb.xml')
    t.notMatch(JSON.stringify(bomb), /aaaaaaaaaa|root:/)
    t.match(await run('deep.xml'), { problems: [{ message: /over 1000 deep/ }] })
    t.match(await run('huge.xml'), { problems: [{ message: /2 MiB/ }] })
    await t.rejects(run('none'), /no export/)
    await t.rejects(run('nowhere'), /no export/)
    await t.rejects(importInto(opened, 'wordpress', folder), /5 XML files/)
  })
})

t.test('texts of the block editor and of before become Markdown', (t) => {
  const none = () => []
  const block =
    '<!-- wp:embed {"url":"x"} --><figure class="wp-block-embed"><div class="wp-block-embed__wrapper">\nhttps://vimeo.com/123456\n</div></figure><!-- /wp:embed -->'
  t.equal(bodyOf(block, none).body, '{{< vimeo 123456 >}}\n')
  t.equal(bodyOf('<!-- wp:list --><ul><li>a\nb</li></ul><!-- /wp:list -->', none).body, '- a b\n')
  t.equal(bodyOf('[embed]https://youtu.be/abcdef12345[/embed]', none).body, '{{< youtube abcdef12345 >}}\n')
  t.equal(bodyOf('[caption caption="A b"]<img src="x.png">[/caption]', none).body, '![](x.png "A b")\n')
  t.match(bodyOf('[caption]'.repeat(20_000), none).body, /caption/)
  t.match(bodyOf(`${'[caption]'.repeat(100_000)}[/caption]`, none).body, /caption/)
  t.strictSame(bodyOf('[note]x[/note] [1] [x y]', none).shortcodes, ['note', 'x'])
  t.end()
})
