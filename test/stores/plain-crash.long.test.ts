import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { git, makeRepository } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { openStore } from './fixtures/open.ts'
import { fixture, litterOf, plainEnvironment } from './wreckage.ts'

const ADA = { name: 'Ada', email: 'ada@example.org' }
const TRIP = keyOf('posts', 'trip')
const MOVE: Change = { key: keyOf('posts', 'journey'), from: TRIP, put: {} }
const NAMES = ['a.png', 'deep/b.png', 'index.md', 'z.png']
/** Files that come, and as many that go. */
const STEPS = NAMES.length * 2

function siteOf(t: Test): TestSite {
  const files = Object.fromEntries(NAMES.map((name) => [`content/posts/trip/${name}`, `# ${name}\n`]))
  const site = makeSite({ ...files, 'content/posts/other.md': '# Other\n' })
  t.teardown(site.remove)
  return site
}

/** True if the process was killed before that many files were changed, false where it came to its end. */
function killedAt(site: TestSite, nth: number, changes: readonly Change[], enabled?: 'auto'): boolean {
  const argument = JSON.stringify({ root: site.root, nth, changes, enabled })
  const words = ['-u', 'NODE_OPTIONS', ...fixture('plain-crash'), argument]
  const { signal, status, stderr } = spawnSync('env', words, { env: plainEnvironment(), encoding: 'utf8' })
  if (signal !== 'SIGKILL' && status !== 0) throw new Error(stderr)
  return signal === 'SIGKILL'
}

function filesIn(site: TestSite, folder: string): string[] {
  const path = site.path(`content/posts/${folder}`)
  if (!existsSync(path)) return []
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
  return entries.flatMap((one) => (one.isFile() ? `${one.parentPath}/${one.name}`.slice(path.length + 1) : [])).sort()
}

async function idsIn(site: TestSite): Promise<string[]> {
  const store = await openStore(site.root, { watch: false, enabled: false })
  const { items } = await store.heads('posts', {})
  await store.close()
  return items.map(({ key }) => key.id).sort()
}

t.test('outside of git a move that is killed is whole at the next start, and so is a removal', async (t) => {
  for (const nth of [0, 1, 3, 4, 5, STEPS - 1]) {
    const site = siteOf(t)
    t.ok(killedAt(site, nth, [MOVE]), `${nth}`)
    t.same(await idsIn(site), ['journey', 'other'])
    t.same([filesIn(site, 'trip'), filesIn(site, 'journey')], [[], NAMES])
    t.same(litterOf(site), [])
    t.notOk(existsSync(site.path('.cms/write.journal')))
  }
  for (const nth of [0, 2, NAMES.length - 1]) {
    const site = siteOf(t)
    t.ok(killedAt(site, nth, [{ key: TRIP, remove: true }]))
    t.same(await idsIn(site), ['other'])
    t.same(filesIn(site, 'trip'), [])
  }
  const site = siteOf(t)
  t.notOk(killedAt(site, 100, [MOVE]), 'there are no more steps')
  t.notOk(existsSync(site.path('.cms/write.journal')))
})

t.test('a process that goes on finishes what another was killed at, before its next write', async (t) => {
  const site = siteOf(t)
  const store = await openStore(site.root, { watch: false, enabled: false })
  t.teardown(() => store.close())
  t.ok(killedAt(site, 2, [MOVE]))
  await store.write([{ key: keyOf('posts', 'third'), from: MOVE.key, put: {} }], ADA)
  t.same([filesIn(site, 'trip'), filesIn(site, 'journey'), filesIn(site, 'third')], [[], [], NAMES])
})

t.test('what others have changed since a write was killed stays, and nothing is lost', async (t) => {
  const there = siteOf(t)
  t.ok(killedAt(there, 1, [MOVE]))
  there.write('content/posts/journey/z.png', 'of another')
  t.same(await idsIn(there), ['journey', 'other', 'trip'])
  t.same(filesIn(there, 'trip'), NAMES)
  const gone = siteOf(t)
  t.ok(killedAt(gone, 1, [MOVE]))
  rmSync(gone.path('content/posts/trip/index.md'))
  gone.write('content/posts/trip/index.md', '# Written anew\n')
  t.same(await idsIn(gone), ['journey', 'other', 'trip'])
  t.same([filesIn(gone, 'trip'), filesIn(gone, 'journey')], [['index.md'], NAMES])
  const away = siteOf(t)
  t.ok(killedAt(away, 1, [MOVE]))
  rmSync(away.path('content/posts'), { recursive: true })
  t.same(await idsIn(away), [])
})

/** Private documents: two new ones, one that is changed, one that goes. */
const [OLD, GOING] = [keyOf('.things', 'old'), keyOf('.things', 'going')]
const PRIVATE: Change[] = [
  { key: keyOf('.things', 'one'), put: { set: { n: 1 } } },
  { key: OLD, put: { set: { n: 1 } } },
  { key: keyOf('.others', 'two'), put: { set: { n: 1 } } },
  { key: GOING, remove: true },
]

for (const enabled of [undefined, 'auto'] as const)
  t.test(
    `private documents of one write are there or not, all of them${enabled ? ', in a repository as well' : ''}`,
    async (t) => {
      for (const nth of PRIVATE.keys()) {
        const site = siteOf(t)
        if (enabled) makeRepository(site)
        const open = () => openStore(site.root, { watch: false, enabled: enabled ?? false })
        const before = await open()
        await before.write(
          [OLD, GOING].map((key) => ({ key, put: { set: { n: 0 } } })),
          ADA,
        )
        await before.close()
        t.ok(killedAt(site, nth, PRIVATE, enabled), `${nth}`)
        const store = await open()
        const things = async (kind: string) =>
          (await store.heads(kind, {})).items.map(({ key, fields }) => `${key.id} ${fields.n}`).sort()
        t.same([await things('.things'), await things('.others')], [['old 1', 'one 1'], ['two 1']])
        await store.close()
        t.notOk(existsSync(site.path('.cms/write.journal')))
      }
    },
  )

t.test('a journal that came by git makes nothing private', async (t) => {
  for (const tracked of ['.cms/write.journal', '.cms/users/.quire-0123456789ab.tmp']) {
    const site = siteOf(t)
    makeRepository(site)
    site.write('.cms/users/.quire-0123456789ab.tmp', '---\nrole: owner\n---\n')
    const step = { path: '.cms/users/eve.md', beside: '.quire-0123456789ab.tmp', before: null }
    site.write('.cms/write.journal', JSON.stringify([step]))
    git(site.root, ['add', '-f', tracked])
    git(site.root, ['commit', '-qm', 'Eve'])
    const store = await openStore(site.root, { watch: false, enabled: 'auto' })
    t.same((await store.heads('.users', {})).items, [], tracked)
    await store.write([{ key: OLD, put: { set: { n: 0 } } }], ADA)
    t.same((await store.heads('.users', {})).items, [])
    t.notOk(existsSync(site.path('.cms/users/eve.md')))
    await store.close()
  }
})

t.test('a journal that is none of ours touches nothing', async (t) => {
  const site = siteOf(t)
  t.ok(killedAt(site, 0, [MOVE]))
  site.write('outside.md', 'x')
  site.write('content/posts/trip/.quire-0123456789ab.tmp', 'x')
  const steps = [
    { path: 'outside.md', beside: null, before: '1:1:1:1' },
    { path: 'content/../outside.md', beside: null, before: null },
    { path: 'content/posts/new.md', beside: '../../outside.md', before: null },
    { path: 3, beside: null, before: null },
    null,
  ]
  site.write('.cms/write.journal', JSON.stringify(steps))
  t.same(await idsIn(site), ['other', 'trip'])
  t.ok(existsSync(site.path('outside.md')))
  t.notOk(existsSync(site.path('content/posts/new.md')))
})
