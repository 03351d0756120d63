import { createHash } from 'node:crypto'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { type FormPart, formOf } from '#support/form.ts'
import { formIn } from '#support/page-form.ts'
import { type PanelAnswer, type PanelBrowser, type PanelGiven, type PanelOptions, panelOf } from '#support/panel.ts'
import { pixels } from '../../media/pictures.ts'

const PNG = await pixels().png().toBuffer()
const JPEG = await pixels().jpeg().toBuffer()
const CSV = Buffer.from('a,b\r\n1,2\r\n')
const HOSTILE = `"><script>alert(1)</script>{{ site }}'`
const FILES = {
  'content/posts/hello.md': '---\ntitle: Hello <b>there</b>\nstatus: published\n---\n![A square](/media/2026/square.png)\n',
  'content/posts/draft.md': '---\ntitle: A draft\nstatus: draft\n---\nText.\n',
}

/** Sends a form with files as a browser does, with the proof of the last page first. */
async function send(browser: PanelBrowser, url: string, parts: readonly FormPart[], headers: object = {}): Promise<PanelAnswer> {
  const form = formOf(...parts)
  return browser.ask('POST', url, { payload: form.body, headers: { ...form.headers, origin: 'http://localhost', ...headers } })
}

const proof = ({ csrf }: PanelBrowser): FormPart => ['_csrf', csrf]

/** Uploads one file, and returns the address of its page. */
async function uploaded(browser: PanelBrowser, name: string, bytes: Buffer, folder = ''): Promise<string> {
  await browser.get('/admin/media')
  const answer = await send(browser, '/admin/media', [proof(browser), ['folder', folder], ['files[]', bytes, name]])
  if (answer.status !== 303) throw new Error(`${answer.status}: ${answer.html}`)
  return (answer.location ?? '').split('?', 1)[0] ?? ''
}

const media = async ({ store }: PanelGiven['opened']) => (await store.heads('media', {})).items.map(({ key }) => key.id)

/** Counts the blobs that are kept. */
async function isKept({ blobs }: PanelGiven['opened'], bytes: Buffer): Promise<boolean> {
  const found = await blobs.open(createHash('sha256').update(bytes).digest('hex'))
  found?.destroy()
  return found !== undefined
}

function each(name: string, body: (t: Test, given: PanelGiven) => Promise<void>, options: PanelOptions = {}): void {
  t.test(name, (t) => panelOf(t, FILES, body, options))
}

each('files are uploaded, several in one form', async (t, { browser, opened, ada }) => {
  const empty = await browser.get('/admin/media')
  t.match(empty, { status: 200, html: /No files yet/ })
  t.match(empty.html, /enctype="multipart\/form-data"/)
  const one = await send(browser, '/admin/media', [proof(browser), ['folder', '2026'], ['files[]', PNG, 'Square.PNG']])
  t.match(one, { status: 303, location: '/admin/media/2026~square.png/edit?done=uploaded' })
  t.match((await browser.get(one.location ?? '')).html, /Say what it shows/)
  t.match((await opened.store.get(keyOf('media', '2026~square.png')))?.fields, { uploaded_by: ada.handle, width: 40, height: 24 })
  const parts: FormPart[] = [
    ['folder', ''],
    ['files[]', CSV, 'a.csv'],
    ['files[]', JPEG, 'b.jpg'],
    ['files[]', '', ''],
  ]
  t.match(await send(browser, '/admin/media', [proof(browser), ...parts]), { status: 303, location: /done=uploaded-all/ })
  t.same(await media(opened), ['2026~square.png', 'a.csv', 'b.jpg'])
  const grid = await browser.get('/admin/media')
  t.match(grid.html, /3 files · /)
  t.match(grid.html, /Without alt text <b>2<\/b>/)
  t.match(grid.html, /Used nowhere <b>2<\/b>/)
  t.match(grid.html, /src="\/media\/_w\d+x\d+\/2026\/square\.png\.webp"/)
  t.match(grid.html, /href="\/admin\/media\?folder=2026%2F\*"/)
})

each('one of several that is not taken leaves the others', async (t, { browser, opened }) => {
  await browser.get('/admin/media')
  const parts: FormPart[] = [
    ['folder', ''],
    ['files[]', CSV, 'a.csv'],
    ['files[]', Buffer.from('MZ\0\0\0'), HOSTILE.replaceAll('"', '')],
    ['files[]', PNG, 'b.png'],
  ]
  const answer = await send(browser, '/admin/media', [proof(browser), ...parts])
  t.match(answer, { status: 415, html: /Not all was taken/ })
  t.match(answer.html, /2 files were uploaded/)
  t.match(answer.html, /enctype="multipart\/form-data"/, 'with the form')
  t.notMatch(answer.html, /<script>alert/)
  t.same(await media(opened), ['a.csv', 'b.png'])
})

each(
  'what is too large is refused, by its announcement before a byte is taken',
  async (t, { browser, opened }) => {
    await browser.get('/admin/media')
    const large = Buffer.alloc(200_000, 'a,b\n')
    const answer = await send(browser, '/admin/media', [
      proof(browser),
      ['files[]', CSV, 'a.csv'],
      ['files[]', large, 'large.csv'],
    ])
    t.match(answer, { status: 413, html: /large\.csv: The file is larger than 100kB\. Files after it were not read/ })
    t.match(answer.html, /One file was uploaded/)
    t.same(await media(opened), ['a.csv'])
    t.notOk(await isKept(opened, large))
    const script = { accept: 'application/json', 'x-csrf-token': browser.csrf, 'content-length': '9000000' }
    const told = await send(browser, '/admin/media', [['file', large, 'large.csv']], script)
    t.match(
      [told.status, JSON.parse(told.html)],
      [413, { error: 'Payload too large', message: 'The file is larger than 100kB.' }],
    )
  },
  { config: { media: { max_size: '100kB' } } },
)

each('without the proof nothing is stored', async (t, { browser, opened, as }) => {
  const { browser: reader } = await as('author')
  await browser.get('/admin/media')
  const late: FormPart[] = [['files[]', CSV, 'a.csv'], proof(browser)]
  const forged: Record<string, [PanelBrowser, readonly FormPart[], object, number]> = {
    none: [browser, [['files[]', CSV, 'a.csv']], {}, 403],
    wrong: [
      browser,
      [
        ['_csrf', 'x'.repeat(43)],
        ['files[]', CSV, 'a.csv'],
      ],
      {},
      403,
    ],
    'of another': [reader, [proof(browser), ['files[]', CSV, 'a.csv']], {}, 403],
    'behind the file': [browser, late, {}, 403],
    twice: [browser, [proof(browser), proof(browser), ['files[]', CSV, 'a.csv']], {}, 403],
    'from elsewhere': [browser, [proof(browser), ['files[]', CSV, 'a.csv']], { origin: 'https://evil.example' }, 403],
    'cross-site': [browser, [proof(browser), ['files[]', CSV, 'a.csv']], { 'sec-fetch-site': 'cross-site' }, 403],
    'a wrong header': [browser, [proof(browser), ['files[]', CSV, 'a.csv']], { 'x-csrf-token': 'no' }, 403],
    'signed out': [browser, [proof(browser), ['files[]', CSV, 'a.csv']], { cookie: 'cms_session=none' }, 401],
  }
  for (const [name, [sender, parts, headers, status]] of Object.entries(forged)) {
    for (const url of ['/admin/media', '/admin/media/x.csv/file'])
      t.equal((await send(sender, url, parts, headers)).status, status, `${name} at ${url}`)
  }
  t.same(await media(opened), [])
  t.notOk(await isKept(opened, CSV))
  t.equal(
    (await send(browser, '/admin/menus', [proof(browser), ['files[]', CSV, 'a.csv']])).status,
    415,
    'no other page takes files',
  )
  t.equal((await send(browser, '/admin/account/name', [proof(browser), ['name', 'x']])).status, 415)
})

each('bad forms with files are refused with words', async (t, { browser, opened }) => {
  await browser.get('/admin/media')
  const whole = formOf(proof(browser), ['files[]', CSV, 'a.csv'])
  const headers = { ...whole.headers, origin: 'http://localhost' }
  const cut = await browser.ask('POST', '/admin/media', { payload: whole.body.subarray(0, -30), headers })
  t.match(cut, { status: 422, html: /ends before it is whole/ })
  const parts: [readonly FormPart[], number, RegExp][] = [
    [[proof(browser)], 422, /Choose a file first/],
    [[proof(browser), ['files[]', '', '']], 422, /Choose a file first/],
    [[proof(browser), ['folder', '../x'], ['files[]', CSV, 'a.csv']], 422, /The folder /],
    [[proof(browser), ['other', CSV, 'a.csv']], 422, /There is no file &quot;other&quot;|There is no file &#34;other&#34;/],
    [[proof(browser), ['files[]', CSV, 'a.csv'], ['folder', 'x']], 422, /must come before the files/],
  ]
  for (const [form, status, html] of parts) t.match(await send(browser, '/admin/media', form), { status, html })
  t.same(await media(opened), ['a.csv'], 'what came before a text in the wrong place is there')
})

each('scripts upload and choose', async (t, { browser, opened, as }) => {
  await browser.get('/admin/media')
  const headers = { accept: 'application/json', 'x-csrf-token': browser.csrf }
  const made = await send(
    browser,
    '/admin/media',
    [
      ['file', PNG, 'A b.png'],
      ['x', 'y'],
    ],
    headers,
  )
  t.match(made.headers, { 'content-type': /^application\/json/, 'cache-control': 'no-store' })
  t.same([made.status, JSON.parse(made.html)], [201, { id: 'a-b.png', url: '/media/a-b.png', alt: '' }])
  const wrong = await send(browser, '/admin/media', [['file', Buffer.from('MZ\0\0'), 'x.exe']], headers)
  t.match([wrong.status, JSON.parse(wrong.html)], [415, { message: /./ }])
  const forged = await send(browser, '/admin/media', [['file', PNG, 'x.png']], { ...headers, 'x-csrf-token': 'no' })
  t.match([forged.status, JSON.parse(forged.html)], [403, { error: 'Forbidden' }])
  const gone = await send(browser, '/admin/media', [['file', PNG, 'x.png']], { ...headers, cookie: '' })
  t.match([gone.status, JSON.parse(gone.html)], [401, { message: /not signed in/ }])
  const choices = JSON.parse((await browser.get('/admin/media?format=json&q=a-b')).html)
  t.match(choices, {
    data: [{ id: 'a-b.png', path: 'a-b.png', url: '/media/a-b.png', kind: 'image', alt: null }],
    meta: { total: 1 },
  })
  const { browser: author } = await as('author')
  t.equal(JSON.parse((await author.get('/admin/media?format=json')).html).meta.total, 1)
  t.same(await media(opened), ['a-b.png'])
})

each('a file is described, and nothing is written where nothing was changed', async (t, { browser, opened }) => {
  const here = await uploaded(browser, 'square.png', PNG, '2026').then((page) => page.replace(/\/edit$/, ''))
  const key = keyOf('media', '2026~square.png')
  const page = await browser.get(`${here}/edit`)
  t.match(page.html, /Hello &lt;b&gt;there|Hello &#60;b&#62;there/)
  t.match(page.html, /href="\/admin\/content\/posts\/hello\/edit"/)
  t.match(page.html, /Used in 1 place/)
  t.match(page.html, /viewBox="[^"]+" width="171" height="96"/)
  const version = (await opened.store.get(key))?.version
  t.match(await browser.post(here, { ...formIn(page.html, here), ...point('', '') }), { status: 303, location: /done=nothing/ })
  t.equal((await opened.store.get(key))?.version, version)
  const alt = `Two\r\nlines ${HOSTILE}`
  const said = { ...formIn(page.html, here), alt, title: HOSTILE, ...point('68', '40.5') }
  t.match(await browser.post(here, said), { status: 303, location: /done=saved/ })
  t.match((await opened.store.get(key))?.fields, {
    alt: `Two\nlines ${HOSTILE}`,
    title: HOSTILE,
    focal_point: { x: 0.68, y: 0.405 },
  })
  const after = await browser.get(`${here}/edit`)
  t.notMatch(after.html, /<script>alert/)
  t.match(after.html, /cx="68%" cy="40\.5%"/)
  const again = { ...formIn(after.html, here), ...point('68', '40.5') }
  t.match(await browser.post(here, again), { status: 303, location: /done=nothing/ })
  const wrong = await browser.post(here, { ...again, ...point('168', ''), caption: 'Kept' })
  t.match(wrong, { status: 422, html: /number from 0 to 100/ })
  t.match(wrong.html, /value="168"/)
  t.match(wrong.html, />\s*Kept</, 'what was typed is there')
  t.match(await browser.post(here, { ...again, ...point('', '') }), { status: 303, location: /done=saved/ })
  t.notOk('focal_point' in ((await opened.store.get(key))?.fields ?? {}))
  t.equal((await browser.post(here, { ...again, base: 'x' })).status, 422)
  t.notMatch((await browser.get('/admin/media')).html, /<script>alert/)
})

each('edits that meet are settled', async (t, { browser, opened }) => {
  const here = (await uploaded(browser, 'a.png', PNG)).replace(/\/edit$/, '')
  const page = formIn((await browser.get(`${here}/edit`)).html, here)
  t.match(await browser.post(here, { ...page, alt: 'Theirs' }), { status: 303 })
  t.match(await browser.post(here, { ...page, caption: 'Mine' }), { status: 303, location: /done=saved/ }, 'both stay')
  const meets = await browser.post(here, { ...page, alt: 'Mine' })
  t.match(meets, { status: 409, html: /Two edits meet in one place/ })
  const settled = { ...formIn(meets.html, here), '_settle[alt]': 'mine' }
  t.match(await browser.post(here, settled), { status: 303, location: /done=saved/ })
  const dragged = { ...formIn((await browser.get(`${here}/edit`)).html, here), ...point('10', '20') }
  await browser.post(here, { ...dragged, ...point('30', '40') })
  const other = await browser.post(here, dragged)
  t.match(other, { status: 409, html: /Focal point/ })
  t.match(other.html, '40 % from the top')
  t.match(await browser.post(here, { ...formIn(other.html, here), '_settle[focal_point]': 'mine' }), { status: 303 })
  t.match((await opened.store.get(keyOf('media', 'a.png')))?.fields, { focal_point: { x: 0.1, y: 0.2 } })
  t.match((await opened.store.get(keyOf('media', 'a.png')))?.fields, { alt: 'Mine', caption: 'Mine' })
})

each('a file is moved, replaced and deleted', async (t, { browser, opened }) => {
  const here = (await uploaded(browser, 'square.png', PNG, '2026')).replace(/\/edit$/, '')
  await browser.get(`${here}/edit`)
  t.match(await browser.post(`${here}/move`, { path: '2027/../x.png' }), { status: 422, html: /value="2027\/\.\.\/x\.png"/ })
  t.match(await browser.post(`${here}/move`, { path: '2027/box.jpg' }), { status: 422, html: /must end in \.png/ })
  const moved = await browser.post(`${here}/move`, { path: '2027/box.png' })
  t.match(moved, { status: 303, location: '/admin/media/2027~box.png/edit?done=moved' })
  t.match((await opened.store.get(keyOf('posts', 'hello')))?.body, /\/media\/2027\/box\.png/)
  const there = '/admin/media/2027~box.png'
  const other = await pixels().resize(50, 60).png().toBuffer()
  t.match(await send(browser, `${there}/file`, [proof(browser), ['file', JPEG, 'x.jpg']]), { status: 415, html: /image|jpeg/ })
  t.match(await send(browser, `${there}/file`, [proof(browser), ['file', '', '']]), { status: 422, html: /Choose a file first/ })
  t.match(await send(browser, `${there}/file`, [proof(browser), ['file', other, 'x.png']]), {
    status: 303,
    location: `${there}/edit?done=replaced`,
  })
  t.match((await opened.store.get(keyOf('media', '2027~box.png')))?.fields, { size: other.length })
  t.match(await browser.get(`${there}/delete`), { status: 200, html: /Delete it all the same/ })
  const refused = await browser.post(there, { _method: 'DELETE' })
  t.match(refused, { status: 409, html: /Hello &lt;b&gt;there|Hello &#60;b&#62;there/ })
  t.match(refused.html, /name="force" value="true"/)
  t.same(await media(opened), ['2027~box.png'])
  t.match(await browser.post(there, { _method: 'DELETE', force: 'true' }), { status: 303, location: /done=removed/ })
  t.same(await media(opened), [])
  t.equal((await browser.get(`${there}/edit`)).status, 404)
})

each(
  'a file that nobody described gets its first words, and is deleted or moved after that',
  async (t, { browser, opened }) => {
    const here = '/admin/media/b%20c.png'
    const page = await browser.get(`${here}/edit`)
    t.notMatch(page.html, /\/delete"|\/move"/)
    const refused = await browser.post(here, { _method: 'DELETE' })
    t.match(refused, { status: 409, html: /Nothing is known of this file but its bytes/ })
    t.match(await browser.post(here, { ...formIn(page.html, here), ...point('', '') }), { status: 303, location: /done=nothing/ })
    t.same(await media(opened), [])
    const said = { ...formIn(page.html, here), ...point('', ''), alt: 'A square' }
    t.match(await browser.post(here, said), { status: 303, location: /done=saved/ })
    t.match((await opened.store.get(keyOf('media', 'b c.png')))?.fields, { alt: 'A square' })
    t.match((await browser.get(`${here}/edit`)).html, /\/delete"/)
    t.match(await browser.post(here, { _method: 'DELETE' }), { status: 303 })
  },
  { site: { beside: { 'content/media/b c.png': PNG } } },
)

each('the selected are deleted once that was asked', async (t, { browser, opened }) => {
  await uploaded(browser, 'square.png', PNG, '2026')
  await uploaded(browser, 'a.csv', CSV)
  await uploaded(browser, 'b.csv', CSV)
  const ids = ['2026~square.png', 'a.csv']
  const asked = await browser.post('/admin/media', { _method: 'PUT', action: 'delete', 'ids[]': ids })
  t.match(asked, { status: 200, html: /Delete 2 files\?/ })
  t.match(asked.html, /Used in Hello/)
  t.equal((await media(opened)).length, 3, 'nothing is gone yet')
  const unsaid = { _method: 'PUT', action: 'delete', 'ids[]': ids, sure: 'yes' }
  t.match(await browser.post('/admin/media', unsaid), { status: 409, html: /It is used by posts\/hello/ })
  t.same(await media(opened), ['2026~square.png', 'b.csv'], 'what nothing uses is gone')
  t.match(await browser.post('/admin/media', { ...unsaid, 'ids[]': ids[0] ?? '', 'force[]': ids[0] ?? '' }), {
    status: 303,
    location: /done=removed/,
  })
  t.same(await media(opened), ['b.csv'])
  t.equal((await browser.post('/admin/media', { _method: 'PUT', action: 'publish', 'ids[]': 'b.csv' })).status, 404)
  t.equal((await browser.post('/admin/media', { _method: 'PUT', action: 'delete' })).status, 422)
})

each('the list is narrowed by its address', async (t, { browser }) => {
  await uploaded(browser, 'square.png', PNG, '2026/cats')
  await uploaded(browser, 'a.csv', CSV)
  const names = async (query: string) => {
    const { html } = await browser.get(`/admin/media?${query}`)
    return [...html.matchAll(/name="ids\[\]" value="([^"]+)"/g)].map(([, id]) => id)
  }
  t.same(await names('type=image'), ['2026~cats~square.png'])
  t.same(await names('type=document&q='), ['a.csv'])
  t.same(await names('alt=none'), ['2026~cats~square.png'])
  t.same(await names('unused=true&sort=filename'), ['a.csv', '2026~cats~square.png'])
  t.same(await names('folder=2026/*'), ['2026~cats~square.png'])
  t.same(await names('q=nothing-like-it'), [])
  t.match((await browser.get('/admin/media?folder=2026/*')).html, /cats <data value="1">/)
  t.match((await browser.get(`/admin/media?q=${encodeURIComponent(HOSTILE)}`)).html, /Nothing found/)
  t.notMatch((await browser.get(`/admin/media?q=${encodeURIComponent(HOSTILE)}`)).html, /<script>alert/)
  t.equal((await browser.get('/admin/media?alt=some')).status, 422)
  t.equal((await browser.get('/admin/media?page=0')).status, 422)
})

each('authors change what they uploaded, and nothing else', async (t, { browser, opened, as }) => {
  const { browser: author, user } = await as('author')
  const theirs = (await uploaded(browser, 'theirs.png', PNG)).replace(/\/edit$/, '')
  const mine = (await uploaded(author, 'mine.csv', CSV)).replace(/\/edit$/, '')
  t.match((await opened.store.get(keyOf('media', 'mine.csv')))?.fields, { uploaded_by: user.handle })
  const page = await author.get(`${theirs}/edit`)
  t.match(page, { status: 200, html: /not change it/ })
  t.notMatch(page.html, /name="_method" value="DELETE"|>Replace<|Delete…/)
  const base = (await opened.store.get(keyOf('media', 'theirs.png')))?.version ?? ''
  t.equal((await author.post(theirs, { _method: 'PUT', base, alt: 'x' })).status, 403)
  t.equal((await author.post(`${theirs}/move`, { path: 'x.png' })).status, 403)
  t.equal((await author.get(`${theirs}/delete`)).status, 403)
  t.equal((await author.post(theirs, { _method: 'DELETE', force: 'true' })).status, 403)
  t.equal((await send(author, `${theirs}/file`, [proof(author), ['file', PNG, 'x.png']])).status, 403)
  const grid = (await author.get('/admin/media')).html
  t.match(grid, /name="ids\[\]" value="mine\.csv"/)
  t.notMatch(grid, /name="ids\[\]" value="theirs\.png"/)
  const sure = { _method: 'PUT', action: 'delete', 'ids[]': ['theirs.png', 'mine.csv'], sure: 'yes' }
  t.notMatch((await author.post('/admin/media', sure)).status, 303)
  t.same(await media(opened), ['theirs.png'])
  t.equal((await author.get(`${mine}/edit`)).status, 404)
})

each(
  'readers of the panel without media see none',
  async (t, { browser }) => {
    t.equal((await browser.get('/admin/media')).status, 404)
    t.notMatch((await browser.get('/admin')).html, /\/admin\/media/)
  },
  { config: { features: { api: true, auth: true, admin: true } } },
)

/** The focal point as the form sends it: its fields stand outside of the form. */
function point(x: string, y: string) {
  return { focal_x: x, focal_y: y }
}
