import fc from 'fast-check'
import t, { type Test } from 'tap'
import { type OpenedStore, openFiles, openMemory, openPostgres, type StoreOptions } from '#support/stores.ts'
import { type Compared, query, type Step, seen, step, taken } from './side-by-side.ts'

/** Number of steps: `npm run test:random -- 5000` for more. A seed after it repeats a run. */
const steps = Number(process.argv[2] ?? 160)
const seed = Number(process.argv[3] || Date.now() % 1_000_000_000)

const SITE: StoreOptions = {
  files: {
    'content/posts/a.md': '---\ntitle: x\nviews: 3\n---\nText.\n',
    'content/posts/bad.md': '---\n- [\n---\n',
    'content/posts/toml.md': '+++\ntitle = "T"\ntags = ["x"]\n+++\nText.\n',
  },
}

type Open = () => Promise<OpenedStore>

/** Runs steps on stores side by side and compares every answer. */
async function sideBySide(t: Test, open: readonly Open[], most: number, compared: Compared): Promise<void> {
  const stores: OpenedStore[] = []
  t.teardown(() => Promise.all(stores.map(({ close }) => close())))
  for (const one of open) stores.push(await one())
  t.equal(await firstDifference(stores, most, compared), undefined)
}

/** The first answer that is not the same everywhere, with the steps that led there. */
async function firstDifference(stores: readonly OpenedStore[], most: number, compared: Compared): Promise<string | undefined> {
  const plan = fc.sample(fc.record({ step, queries: fc.array(query, { minLength: 4, maxLength: 4 }) }), { seed, numRuns: most })
  const done: Step[] = []
  for (const { step: next, queries } of plan) {
    done.push(next)
    const written = await Promise.all(stores.map((opened) => taken(opened, next, compared)))
    const answers = await Promise.all(
      stores.map((opened) =>
        seen(opened, queries, { ...compared, histories: compared.histories && isTimeForHistories(done.length) }),
      ),
    )
    const texts = answers.map((answer, n) => JSON.stringify({ queries, written: written[n], answer }, null, 1))
    const other = texts.findIndex((text) => text !== texts[0])
    if (other < 0) continue
    const where = `${stores[0]?.name} and ${stores[other]?.name}, step ${done.length}, seed ${seed}`
    return `${difference(texts[0] ?? '', texts[other] ?? '')}\n${where}, asked ${JSON.stringify(queries)}, after ${JSON.stringify(done.slice(-4))}`
  }
  return undefined
}

/** Histories grow, and are looked at whole: the longer the run, the more steps lie between two looks. */
function isTimeForHistories(step: number): boolean {
  return step % Math.max(5, 5 * Math.floor(step / 50)) === 0
}

function difference(one: string, other: string): string {
  const [a, b] = [one.split('\n'), other.split('\n')]
  const at = a.findIndex((line, n) => line !== b[n])
  return `${a.slice(Math.max(0, at - 30), at + 3).join('\n')}\n--- and ---\n${b.slice(at, at + 3).join('\n')}`
}

const LATER: StoreOptions = { now: '2040-01-15T12:00:00Z' }
const LONG = { timeout: 3_600_000 }

t.test('a database and the model, which both keep a history', LONG, (t) =>
  sideBySide(t, [() => openMemory({ ...SITE, history: true }), () => openPostgres(SITE)], steps, {
    histories: true,
    dates: true,
  }),
)

t.test('files and the model', LONG, (t) =>
  sideBySide(t, [() => openMemory(SITE), () => openFiles(SITE)], steps, { histories: false, dates: true }),
)

t.test('files in git and a database, down to every revision', LONG, (t) =>
  // After the first commit, which bears the time of today; an author's own file would be numbered by it.
  sideBySide(t, [() => openFiles({ ...LATER, history: true }), () => openPostgres(LATER)], Math.ceil(steps / 8), {
    histories: true,
    dates: false,
  }),
)
