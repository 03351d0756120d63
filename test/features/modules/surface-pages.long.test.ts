import t from 'tap'
import type { ModuleLog } from '#features/modules/module-log.ts'
import type { CardDefinition, PageDefinition, PagePart } from '#module/panel.ts'
import { loaded, setOf } from '#support/module-panel.ts'
import { PANEL_FEATURES, PanelBrowser, panelOn } from '#support/panel.ts'
import { eachStore, openFiles } from '#support/stores.ts'

const PARTS: readonly PagePart[] = [
  {
    kind: 'links',
    links: [
      { label: '7 days', url: '?days=7', isCurrent: false },
      { label: '30 days', url: '?days=30', isCurrent: true },
      { label: 'CSV', url: './views.csv?days=30', icon: 'download' },
    ],
  },
  { kind: 'figures', figures: [{ label: 'Views', value: '72,316', note: '+12 %' }] },
  {
    kind: 'chart',
    label: 'Views and visitors',
    bars: 'Views',
    line: 'Visitors',
    points: Array.from({ length: 30 }, (_, n) => ({ label: `${n + 1} Nov`, value: n * 100, line: n * 50, isMuted: n % 7 > 4 })),
  },
  {
    kind: 'table',
    label: 'Pages',
    columns: ['Page', 'Views'],
    rows: [
      [
        { text: '/<b>x</b>', url: '/x' },
        { text: '11,204', share: 0.62 },
      ],
    ],
  },
  { kind: 'table', label: 'Came from', columns: ['Host', 'Views'], rows: [], empty: 'Nobody came yet.' },
  { kind: 'text', text: 'Counted <i>here</i>.\n\nWithout cookies.', isNote: true },
]

const VISITS: PageDefinition = {
  name: 'visits',
  label: 'Visits',
  group: 'system',
  icon: 'chart',
  scope: 'audit:read',
  parts: async ({ days }) => (days === 'none' ? [] : PARTS),
  files: {
    'views.csv': async ({ days }, _context, caller) => ({ type: 'text/csv', text: `days,who\n${days},${caller.name}\n` }),
  },
}

const WITH_MODULES = { features: { ...PANEL_FEATURES, modules: true } }

/** The log of modules, kept as lines. */
function noting(lines: string[]): { moduleLog: ModuleLog } {
  return { moduleLog: ({ module, message }) => void lines.push(`${module}: ${message}`) }
}

const page = (name: string, parts: PageDefinition['parts']): PageDefinition => ({ name, label: name, group: 'content', parts })

t.test('a page of a module is drawn of its parts, and nothing in them is HTML', async (t) => {
  const opened = await openFiles({})
  t.teardown(opened.close)
  const ships = { ...loaded('count', { pages: [{ ...VISITS, name: 'count', label: 'Count' }] }), folder: undefined }
  const own = setOf(loaded('visits', { pages: [VISITS] }), ships)
  const given = await panelOn(t, opened, { config: WITH_MODULES, deps: { modules: own } })
  const { browser, as } = given
  const { status, html } = await browser.get('/admin/x/visits/visits')
  t.equal(status, 200)
  t.match(html, /<a href="\/admin\/x\/visits\/visits" aria-current="page">/)
  t.ok(html.indexOf('href="/admin/x/visits/visits"') < html.indexOf('href="/admin/users"'), 'before the rest of its group')
  t.match(html, '<a href="?days=30" aria-current="true">30 days</a>')
  t.match(html, 'href="/admin/x/visits/visits/views.csv?days=30"')
  t.match(html, '<dt>Views</dt><dd>72,316 <small>+12 %</small></dd>')
  t.match(html, /aria-label="Views and visitors\. The most: 2,900, 30 Nov"/)
  t.match(html, '<a href="/x" dir="auto">/&lt;b&gt;x&lt;/b&gt;</a>')
  t.match(html, /<rect width="62%"[\s\S]{0,60}11,204/)
  t.match(html, 'Nobody came yet.')
  t.match(html, '<p>Counted &lt;i&gt;here&lt;/i&gt;.</p><p>Without cookies.</p>')
  t.notMatch(html, / style="/, 'the policy of pages takes no styles in them')
  t.match(await browser.get('/admin/x/visits/visits/views.csv?days=30'), {
    status: 200,
    html: 'days,who\n30,Ada\n',
    headers: { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': 'attachment; filename="views.csv"' },
  })
  t.match(await browser.get('/admin/x/visits/visits/constructor'), { status: 404 })
  t.match((await browser.get('/admin/count')).html, '<h1>Count</h1>', 'of a module that ships, the address is short')
  const { browser: editor } = await as('editor')
  for (const url of ['/admin/x/visits/visits', '/admin/x/visits/visits/views.csv'])
    t.equal((await editor.get(url)).status, 404, url)
  t.notMatch((await editor.get('/admin')).html, 'visits')
  const nobody = new PanelBrowser(given.app, opened.clock)
  t.match(await nobody.get('/admin/x/visits/visits'), { status: 303 })
})

t.test('a page that throws, hangs or makes nonsense says so kindly; the others go on', async (t) => {
  const opened = await openFiles({})
  t.teardown(opened.close)
  const lines: string[] = []
  const odd: Readonly<Record<string, unknown>> = {
    none: undefined,
    kind: [{ kind: 'html', html: '<script>' }],
    proto: [{ kind: '__proto__' }],
    script: [{ kind: 'links', links: [{ label: 'x', url: 'javascript:alert(1)' }] }],
    host: [{ kind: 'links', links: [{ label: 'x', url: '//evil.example' }] }],
    infinite: [{ kind: 'chart', label: 'x', points: [{ label: 'a', value: Number.POSITIVE_INFINITY }] }],
    many: [{ kind: 'table', label: 'x', columns: ['a'], rows: Array.from({ length: 1001 }, () => ['a']) }],
  }
  const modules = setOf(
    loaded('bad', {
      pages: [
        page('throws', () => {
          throw new Error('out of tea')
        }),
        page('hangs', () => new Promise(() => undefined)),
        ...Object.entries(odd).map(([name, parts]) => page(name, async () => parts as PagePart[])),
      ],
    }),
    loaded('good', { pages: [page('fine', async () => [{ kind: 'text', text: 'Fine.' }])] }),
  )
  const { browser } = await panelOn(t, opened, { config: WITH_MODULES, deps: { modules, modulePatience: 50, ...noting(lines) } })
  for (const name of ['throws', 'hangs', ...Object.keys(odd)]) {
    const { status, html } = await browser.get(`/admin/x/bad/${name}`)
    t.match([status, html], [503, /can’t be shown just now[\s\S]*module “bad”/], name)
    t.notMatch(html, /out of tea|javascript:alert|evil\.example/)
  }
  t.match(lines[0], 'bad: The page "throws" can\'t be shown: out of tea')
  t.match(lines[1], /"hangs" can't be shown: It took over 0\.05 s/)
  t.match((await browser.get('/admin/x/good/fine')).html, 'Fine.')
})

t.test('cards of the dashboard are left out where they throw, are late, or are not for the reader', (t) =>
  eachStore(t, { files: { 'content/posts/a.md': '---\ntitle: A\n---\n' } }, async (t, opened) => {
    const lines: string[] = []
    const cards: readonly CardDefinition[] = [
      {
        ...{ name: 'fine', label: 'Card fine', scope: 'content:read' },
        parts: async () => [{ kind: 'figures', figures: [{ label: 'Views', value: '12' }] }],
      },
      { name: 'late', label: 'Card late', parts: () => new Promise(() => undefined) },
      {
        ...{ name: 'broken', label: 'Card broken' },
        parts: async () => {
          throw new Error('no')
        },
      },
      { name: 'ours', label: 'Card ours', parts: async () => [{ kind: 'text', text: 'For owners.' }] },
    ]
    const deps = { modules: setOf(loaded('cards', { cards })), modulePatience: 50, ...noting(lines) }
    const { browser, as } = await panelOn(t, opened, { config: WITH_MODULES, deps })
    const { html } = await browser.get('/admin')
    t.match(html, /<h2>Card fine<\/h2>[\s\S]*<dd>12<\/dd>[\s\S]*<h2>Card ours<\/h2>/)
    t.notMatch(html, /Card (?:late|broken)/)
    t.match(lines.toSorted(), ['cards: The card "broken" is left out: no', /"late" is left out: It took over/])
    const theirs = (await (await as('author')).browser.get('/admin')).html
    t.match(theirs, 'Card fine')
    t.notMatch(theirs, 'Card ours')
  }),
)
