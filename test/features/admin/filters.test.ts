import t from 'tap'
import { longTest } from '#support/long.ts'
import { panelOf } from '#support/panel.ts'
import { plainTypes } from '#support/types.ts'

const FILES = {
  'content/boats/ewer.md':
    '---\ntitle: Ewer\nauthor: ada\nsize: 8\nmade: 2020-02-03\nseen: 2026-10-01T10:00:00Z\nfast: true\nkind: flat\ntags: [tides, oak]\n---\n',
  'content/boats/kuff.md':
    '---\ntitle: Kuff\nauthor: bo\nsize: 12\nmade: 2021-02-03\nseen: 2026-09-30T22:30:00Z\nfast: false\nkind: round\ntags: [oak]\nstatus: draft\n---\n',
  'content/boats/smack.md': '---\ntitle: Smack\nauthor: bo\nsize: 20\nseen: 2026-09-30T21:30:00Z\n---\n',
}
const BOATS = '/admin/content/boats'
const OPTIONS = {
  config: { site: { timezone: 'Europe/Vienna' } },
  site: {
    types: plainTypes({
      boats: {
        fields: {
          size: { type: 'number' },
          made: { type: 'date' },
          seen: { type: 'datetime' },
          fast: { type: 'boolean' },
          kind: { type: 'select', options: ['flat', 'round'] },
          parts: { type: 'object' },
        },
      },
    }),
  },
} as const

/** The titles of a list. */
function titlesIn(html: string): string[] {
  return [...html.matchAll(/<th role="rowheader".*?<a href="[^"]+"[^>]*>([^<]+)</gs)].map(([, title = '']) => title).sort()
}

function chipsIn(html: string): string[] {
  return [...html.matchAll(/<a class="chip" href="[^"]*" aria-label="([^"]*), take away"/g)].map(([, label = '']) => label)
}

/** The form of filters as a browser sends it, with some of its lines filled in. */
function asked(html: string, lines: Readonly<Record<string, readonly [how: string, value: string]>>): string {
  const form = /<form class="filters".*?<\/form>/s.exec(html)?.[0] ?? ''
  const sent = new URLSearchParams()
  for (const [, name = '', value = ''] of form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g))
    sent.set(name, value.replaceAll('&quot;', '"'))
  for (const [, n = '', value = ''] of form.matchAll(
    /<select class="filter-how" name="(o\d+)".*?<option value="([^"]+)" selected/gs,
  ))
    sent.set(n, value)
  for (const [, n = '', value = ''] of form.matchAll(/<input class="filter-value"[^>]* name="(v\d+)"[^>]* value="([^"]*)"/g))
    sent.set(n, value)
  for (const [, n = '', inner = ''] of form.matchAll(/<select class="filter-value"[^>]* name="(v\d+)"[^>]*>(.*?)<\/select>/gs))
    sent.set(n, /value="([^"]*)" selected/.exec(inner)?.[1] ?? '')
  for (const [field, [how, value]] of Object.entries(lines)) {
    // The last line of a field is the free one.
    const n = [...sent]
      .filter(([name, of]) => /^f\d+$/.test(name) && of === field)
      .at(-1)?.[0]
      .slice(1)
    if (n === undefined) throw new Error(`There is no line for ${field}.`)
    if (how !== '') sent.set(`o${n}`, how)
    sent.set(`v${n}`, value)
  }
  return `${/action="([^"]+)"/.exec(form)?.[1]}?${sent}`
}

longTest('a list is narrowed by a form, without a script, and its address says by what', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser }) => {
      const closed = await browser.get(BOATS)
      t.notMatch(closed.html, /<form class="filters"/)
      t.match(closed.html, /href="\/admin\/content\/boats\?filters=open" aria-expanded="false"/)
      const narrowed = async (from: string, lines: Parameters<typeof asked>[1]) => {
        const open = await browser.get(from)
        const led = await browser.get(asked(open.html, lines))
        t.equal(led.status, 303)
        const list = await browser.get(led.location ?? '')
        return { address: decodeURIComponent(led.location ?? ''), titles: titlesIn(list.html), chips: chipsIn(list.html), list }
      }
      const open = `${BOATS}?filters=open`
      const size = await narrowed(`${open}&sort=title`, { size: ['gte', '10'] })
      t.equal(size.address, `${BOATS}?sort=title&filter[size][gte]=10`)
      t.strictSame([size.titles, size.chips], [['Kuff', 'Smack'], ['Size at least 10']])
      const range = await narrowed(`${BOATS}?filters=open&filter[size][gte]=10`, { size: ['lte', '15'] })
      t.strictSame([range.titles, range.chips], [['Kuff'], ['Size at least 10', 'Size at most 15']])
      const [, without] = /<a class="chip" href="([^"]+)" aria-label="Size at least/.exec(range.list.html) ?? []
      t.equal(decodeURIComponent(without ?? ''), `${BOATS}?filter[size][lte]=15`, 'a chip takes itself away')

      const cases: [Parameters<typeof asked>[1], string[], string[]][] = [
        [{ tags: ['', 'tides, oak'], status: ['eq', 'published'] }, ['Ewer'], ['Tags is one of tides, oak']],
        [{ author: ['ne', 'bo'] }, ['Ewer'], ['Author is not bo']],
        [{ made: ['unset', ''] }, ['Smack'], ['Made is empty']],
        [{ made: ['lte', '2020-02-03'] }, ['Ewer'], ['Made until 3 Feb 2020']],
        [{ fast: ['', 'false'] }, ['Kuff'], ['Fast is No']],
        [{ kind: ['ne', 'flat'], author: ['eq', 'bo'] }, ['Kuff', 'Smack'], ['Author is bo', 'Kind is not Flat']],
        // The day begins by the clocks of the site.
        [{ seen: ['gte', '2026-10-01'] }, ['Ewer', 'Kuff'], ['Seen from 1 Oct']],
      ]
      for (const [lines, titles, chips] of cases) {
        const found = await narrowed(open, lines)
        t.strictSame([found.titles, found.chips], [titles, chips], JSON.stringify(lines))
        const again = await narrowed(`${found.address}&filters=open`, {})
        t.equal(again.address, found.address, 'the form has the filters of the address')
      }
      const all = await browser.get(`${BOATS}?filters=open&filter[weight]=3&tag=oak`)
      t.equal(all.status, 400, 'a field that is none')
      const kept = await narrowed(`${BOATS}?filters=open&filter[created_at][gte]=2020-01-01&q=Ewer`, { size: ['lte', '9'] })
      t.match(kept.address, /filter\[created_at\]\[gte\]=2020-01-01&q=Ewer&filter\[size\]\[lte\]=9/, 'what has no line stays')
      t.match((await browser.get(open)).html, /<datalist[^>]*><option value="oak"><\/option><option value="tides">/)
      t.notMatch((await browser.get(open)).html, /value="parts"/, 'an object has no line')
      t.match((await browser.get(`${BOATS}?status=scheduled`)).html, /aria-current="page">Scheduled/)
      t.strictSame(chipsIn((await browser.get(`${BOATS}?status=expired`)).html), ['Status is Expired'])

      const wrong = await narrowed(open, { size: ['gte', 'many'] })
      t.equal(wrong.list.status, 422)
      t.match(wrong.list.html, /name="v\d+" aria-invalid="true"[^>]* value="many"/)
      t.match(wrong.list.html, /Size must be a number\./)
      const quoted = await narrowed(open, { author: ['eq', '"><script>alert(1)</script>'] })
      t.notMatch(quoted.list.html, /<script>alert/)
    },
    OPTIONS,
  ),
)

t.test('the columns that somebody chooses stay theirs', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, as }) => {
      const headsOf = (html: string) =>
        [...html.matchAll(/role="columnheader"[^>]*>(?:<a [^>]*>)?([^<]+)/g)].map(([, text]) => text)
      const { browser: other } = await as('editor')
      const usual = headsOf((await browser.get(BOATS)).html)
      const chosen = await browser.post('/admin/account/columns', {
        list: 'content/boats',
        back: `${BOATS}?sort=title&columns=kind`,
        'columns[]': ['status', 'made', 'author'],
      })
      t.equal(chosen.location, `${BOATS}?sort=title`)
      const list = await browser.get(BOATS)
      t.strictSame(headsOf(list.html), ['Title', 'Status', 'Made', 'Author'])
      t.match(list.html, /<td role="cell" class="end">3 Feb 2020/)
      t.match(list.html, /<span class="person">.*?ada<\/span>/s)
      t.strictSame(headsOf((await browser.get(`${BOATS}?columns=kind`)).html), ['Title', 'Kind'], 'an address says others')
      t.strictSame(headsOf((await other.get(BOATS)).html), usual, 'others have theirs')
      await browser.post('/admin/account/columns', { list: 'content/boats', back: 'https://example.org/', do: 'reset' })
      t.strictSame(headsOf((await browser.get(BOATS)).html), usual)
      const elsewhere = await browser.post('/admin/account/columns', {
        list: 'content/boats',
        back: '//example.org',
        do: 'reset',
      })
      t.equal(elsewhere.location, BOATS, 'leads to nowhere else')
      t.equal((await other.post('/admin/account/columns', { list: 'nothing' })).status, 404)
    },
    OPTIONS,
  ),
)
