// `npm run bench:panel [-- <records>]`: the time that the server takes for a list of the panel, first after a change and again,
// beside the API's own list, and for a form of 200 items; on files and on PostgreSQL, in one run.

import t from 'tap'
import { TestApp } from '#support/app.ts'
import { PANEL_FEATURES, PanelBrowser } from '#support/panel.ts'
import { BY } from '#support/signing-in.ts'
import { type OpenedStore, openFiles, openPostgres } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'
import { median } from '../load.ts'

// The app of the tests brings tap along.
t.setTimeout(0)

const records = Number(process.argv[2] ?? 100_000)
const only = process.argv[3]
const ROUNDS = 15

const types = plainTypes({
  posts: {},
  boats: {
    fields: { parts: { type: 'list', of: { type: 'object', fields: { name: { type: 'text' }, note: { type: 'text' } } } } },
  },
})
const parts = Array.from({ length: 200 }, (_, n) => ({ name: `Part ${n}`, note: `A note on ${n}` }))
const files = {
  'content/boats/elbe.md': `---json\n${JSON.stringify({ title: 'Elbe', parts })}\n---\n`,
  ...Object.fromEntries(
    Array.from({ length: records }, (_, n) => [
      `content/posts/${(n % 256).toString(16).padStart(2, '0')}/post-${n}.md`,
      `---\ntitle: Post ${n}\nstatus: ${n % 10 === 9 ? 'draft' : 'published'}\ndate: 2020-01-${String((n % 28) + 1).padStart(2, '0')}\nauthor: a${n % 40}\ntags: [t${n % 300}]\n---\nA short text of post ${n}.\n`,
    ]),
  ),
}

/** The milliseconds that something takes, and those of our processor. */
interface Taken {
  readonly ms: number
  readonly cpu: number
}

async function timed(work: () => Promise<unknown>): Promise<Taken> {
  const [begun, used] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(used)
  return { ms: performance.now() - begun, cpu: (user + system) / 1000 }
}

/** All records were written a while ago, as those of most sites were. */
const A_WHILE_MS = 60 * 86_400_000

async function measure(opened: OpenedStore): Promise<void> {
  opened.clock.advance(A_WHILE_MS)
  const app = new TestApp(opened, { config: { features: PANEL_FEATURES } })
  const ada = await app.features.users.create({ email: 'ada@example.org', name: 'Ada', role: 'owner' }, BY)
  const browser = new PanelBrowser(app, opened.clock)
  await browser.signIn(ada.email)
  const got = async (url: string) => {
    const { status } = await browser.get(url)
    if (status !== 200) throw new Error(`${url} answered ${status}`)
  }
  const works = {
    'list of the API': async () => void (await app.ask('GET /api/cms/posts?per_page=25')),
    'list of the panel': () => got('/admin/content/posts'),
    'page 500': () => got('/admin/content/posts?page=500'),
    'by status': () => got('/admin/content/posts?status=draft'),
    dashboard: () => got('/admin'),
    'form of 200 items': () => got('/admin/content/boats/elbe/edit'),
    'form of one record': () => got('/admin/content/posts/00~post-0/edit'),
  }
  for (const work of Object.values(works)) await work()
  const first: Taken[] = []
  for (let n = 0; n < 5; n++) {
    await app.ask('PUT /api/cms/posts/00~post-0', { body: { title: `Changed ${n}` } })
    first.push(await timed(works['list of the panel']))
  }
  const times = new Map(Object.keys(works).map((name): [string, Taken[]] => [name, []]))
  for (let n = 0; n < ROUNDS; n++) for (const [name, work] of Object.entries(works)) times.get(name)?.push(await timed(work))
  const mid = (all: readonly Taken[], part: keyof Taken) => median(all.map((one) => one[part]))
  const api = mid(times.get('list of the API') ?? [], 'ms')
  const row = (name: string, all: readonly Taken[]) => {
    const [ms, cpu] = [mid(all, 'ms'), mid(all, 'cpu')]
    const cells = [ms.toFixed(1).padStart(8), 'ms', cpu.toFixed(1).padStart(8), 'ms of CPU', (ms / api).toFixed(1).padStart(6)]
    process.stdout.write(`${opened.name.padEnd(8)}  ${name.padEnd(28)} ${cells.join(' ')} x the API's list\n`)
  }
  row('first list after a change', first)
  for (const [name, all] of times) row(name, all)
  await app.close()
}

process.stdout.write(`${records} records\n`)
for (const open of [openFiles, openPostgres]) {
  const opened = await open({ files, types })
  if (only === undefined || opened.name === only) await measure(opened)
  await opened.close()
}
