import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { type Key, keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { systemClock } from '#lib/clock.ts'
import { Conflict } from '#lib/errors.ts'
import { FilesBlobs } from '#stores/files/blobs/blobs.ts'
import type { WriteStep } from '#stores/files/committing/git.ts'
import type { GitSettings } from '#stores/files/committing/settings.ts'
import { FilesStore } from '#stores/files/store.ts'
import { blobOf, git, isSound, makeRepository, statusOf } from '#support/git.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { BESIDE_MOST, filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'
import { crash, litterOf } from './wreckage.ts'

const ADA = { name: 'Ada', email: 'ada@example.org' }
const TRIP = keyOf('posts', 'trip')
const JOURNEY = keyOf('posts', 'journey')
const CLIP = keyOf('media', 'clip.psd')
const MOVE: Change = { key: JOURNEY, from: TRIP, put: {} }
const CRLF = Buffer.from('a,b\r\nc,d\r\n')
const LF = Buffer.from('a,b\nc,d\n')

async function opened<T>(site: TestSite, work: (store: FilesStore) => Promise<T>, settings: GitSettings = GIT): Promise<T> {
  const blobs = new FilesBlobs(site.path('.cms/media'), systemClock)
  const besideBytes = { most: BESIDE_MOST, bytesOf: blobs.bytesOf.bind(blobs) }
  const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), systemClock), git: settings, besideBytes })
  return work(store).finally(() => store.close())
}

/** Writes changes through a store of their own, each alone. */
function written(site: TestSite, changes: readonly Change[], settings?: GitSettings): Promise<void> {
  const work = async (store: FilesStore) => {
    for (const change of changes) await store.write([change], ADA)
  }
  return opened(site, work, settings)
}

function repository(t: Test, files: Readonly<Record<string, string | Buffer>>): TestSite {
  const site = makeSite(files)
  t.teardown(site.remove)
  makeRepository(site)
  return site
}

const subjects = (site: TestSite) => git(site.root, ['log', '--format=%s', '--reverse']).split('\n').slice(1)
const inHistory = (site: TestSite) => git(site.root, ['log', '--all', '--format=', '--name-only']).split('\n')
const gone = (key: Key): Change => ({ key, remove: true })

/** A site whose git is told to ignore a file beside a record, and one of media, which it does not hold. */
function ignoring(t: Test): TestSite {
  const site = repository(t, {
    '.gitignore': 'secret*\n*.psd\n',
    'content/posts/trip/index.md': '# Trip\n',
    'content/posts/trip/cat.jpg': 'cat',
    'content/media/clip.psd.yaml': 'alt: Clip\n',
  })
  site.write('content/posts/trip/secret.jpg', 'secret')
  site.write('content/media/clip.psd', 'clip')
  return site
}

t.test('what git is told to ignore is in no commit when it is moved, replaced or removed', async (t) => {
  for (const settings of [GIT, { ...GIT, local_edits: 'refuse' } as const]) {
    const site = ignoring(t)
    const moved = keyOf('media', 'there~clip.psd')
    await written(site, [MOVE, { key: moved, from: CLIP, put: {} }], settings)
    t.equal(readFileSync(site.path('content/posts/journey/secret.jpg'), 'utf8'), 'secret')
    t.equal(readFileSync(site.path('content/posts/journey/cat.jpg'), 'utf8'), 'cat')
    t.equal(readFileSync(site.path('content/media/there/clip.psd'), 'utf8'), 'clip')
    t.notOk(existsSync(site.path('content/posts/trip')) && existsSync(site.path('content/posts/trip/secret.jpg')))
    t.notOk(existsSync(site.path('content/media/clip.psd')))
    await written(site, [gone(moved)], settings)
    t.notOk(existsSync(site.path('content/media/there/clip.psd')), 'bytes of media go with their document')
    t.same(
      inHistory(site).filter((path) => /secret|psd$/.test(path)),
      [],
    )
    t.same(subjects(site), ['Move posts/journey', 'Move media/there~clip.psd', 'Delete media/there~clip.psd'])
    t.same(statusOf(site), [])
    t.ok(isSound(site))
  }
  const site = ignoring(t)
  const bytes = await new FilesBlobs(site.path('.cms/media'), systemClock).put(Readable.from([Buffer.from('new')]), 3)
  await written(site, [{ key: CLIP, put: { set: { alt: 'New' }, bytes } }])
  t.same(subjects(site), ['Update media/clip.psd'], 'what was there before is no edit to be committed')
  t.equal(readFileSync(site.path('content/media/clip.psd'), 'utf8'), 'new')
})

const STEPS: readonly WriteStep[] = ['move', 'files', 'index', 'done']

t.test('what git ignores is where its record is, wherever the process dies', async (t) => {
  const before = ignoring(t)
  for (const at of STEPS) {
    const site = makeSite()
    t.teardown(site.remove)
    cpSync(before.root, site.root, { recursive: true })
    crash(site, { at, writes: [[MOVE], [gone(CLIP)]] })
    await opened(site, async (store) => {
      const [head] = (await store.heads('posts', {})).items
      const [is, was] = head?.key.id === 'trip' ? ['trip', 'journey'] : ['journey', 'trip']
      t.equal(readFileSync(site.path(`content/posts/${is}/secret.jpg`), 'utf8'), 'secret', at)
      t.notOk(existsSync(site.path(`content/posts/${was}/secret.jpg`)), at)
      t.equal(existsSync(site.path('content/media/clip.psd')), (await store.get(CLIP)) !== undefined, at)
    })
    t.same(
      inHistory(site).filter((path) => /secret|psd$/.test(path)),
      [],
      at,
    )
    t.same(statusOf(site), [], at)
    t.same(litterOf(site), [], at)
  }
})

t.test('what a filter of git changes is not written, and nothing of it is committed in the clear', async (t) => {
  const filtered = (t: Test, attributes: string) => {
    const site = makeSite({ '.gitattributes': attributes, 'content/posts/trip/index.md': '# Trip\n' })
    t.teardown(site.remove)
    site.write('content/posts/trip/cat.jpg', 'cat')
    site.write('content/media/clip.psd', 'clip')
    site.write('content/media/clip.psd.yaml', 'alt: Clip\n')
    git(site.root, ['init', '-q', '-b', 'main'])
    git(site.root, ['config', 'filter.up.clean', 'tr a-z A-Z'])
    git(site.root, ['config', 'filter.up.smudge', 'tr A-Z a-z'])
    makeRepository(site)
    return site
  }
  const here = filtered(t, 'content/posts/trip/*.jpg filter=up\n*.psd filter=up\n')
  t.same(blobOf(here, 'HEAD:content/posts/trip/cat.jpg').toString(), 'CAT')
  const refused = (site: TestSite, change: Change, file: string) =>
    t.rejects(
      written(site, [change]),
      new Conflict(`"${file}" has a git attribute (filter, working-tree-encoding, ident) that Quire can't save with.`),
    )
  await refused(here, MOVE, 'content/posts/trip/cat.jpg')
  await refused(here, gone(TRIP), 'content/posts/trip/cat.jpg')
  await refused(here, gone(CLIP), 'content/media/clip.psd')
  await refused(here, { key: keyOf('media', 'b.psd'), from: CLIP, put: {} }, 'content/media/clip.psd')
  const there = filtered(t, 'content/posts/journey/*.jpg filter=up\n')
  await refused(there, MOVE, 'content/posts/journey/cat.jpg')
  for (const site of [here, there]) {
    t.same(subjects(site), [])
    t.same(statusOf(site), [])
    t.equal(readFileSync(site.path('content/posts/trip/cat.jpg'), 'utf8'), 'cat')
  }
})

t.test('line endings that git converts are no edit of the files beside a document', async (t) => {
  for (const attributes of ['', '*.csv text\n', '*.csv text eol=crlf\n']) {
    const site = makeSite({ '.gitattributes': attributes, 'content/posts/trip/index.md': '# Trip\n' })
    t.teardown(site.remove)
    site.write('content/posts/trip/a.csv', CRLF)
    site.write('content/posts/trip/ä b.csv', CRLF)
    site.write('content/posts/trip/binary.csv.jpg', Buffer.from([0, 13, 10]))
    site.write('content/media/clip.psd', CRLF)
    site.write('content/media/clip.psd.yaml', 'alt: Clip\n')
    git(site.root, ['init', '-q', '-b', 'main'])
    git(site.root, ['config', 'core.autocrlf', 'true'])
    makeRepository(site)
    t.same(blobOf(site, 'HEAD:content/posts/trip/a.csv'), LF)
    await written(site, [MOVE, { key: keyOf('media', 'b.psd'), from: CLIP, put: {} }], { ...GIT, local_edits: 'refuse' })
    t.same(subjects(site), ['Move posts/journey', 'Move media/b.psd'])
    t.same(blobOf(site, 'HEAD:content/posts/journey/a.csv'), LF, 'git has what it had')
    t.same(blobOf(site, 'HEAD:content/posts/journey/ä b.csv'), LF)
    t.same(blobOf(site, 'HEAD:content/posts/journey/binary.csv.jpg'), Buffer.from([0, 13, 10]))
    t.same(readFileSync(site.path('content/posts/journey/a.csv')), CRLF, 'and the folder, too')
    t.same(statusOf(site), [])
    const edited = Buffer.concat([CRLF, CRLF])
    site.write('content/posts/journey/a.csv', edited)
    site.write('content/posts/journey/new.csv', CRLF)
    await written(site, [gone(JOURNEY), gone(keyOf('media', 'b.psd'))])
    const kept = ['a', 'new'].map((name) => `Keep local edit of content/posts/journey/${name}.csv`)
    t.same(subjects(site).slice(2), [...kept, 'Delete posts/journey', 'Delete media/b.psd'])
    t.same(blobOf(site, 'HEAD~2:content/posts/journey/a.csv'), edited, 'an edit is kept as it is')
    t.same(blobOf(site, 'HEAD~2:content/posts/journey/new.csv'), CRLF)
    t.same(statusOf(site), [])
    t.ok(isSound(site))
  }
})

t.test('a crash in the middle of a move leaves line endings as git has them', async (t) => {
  for (const at of STEPS) {
    const site = makeSite({ '.gitattributes': '*.csv text eol=crlf\n', 'content/posts/trip/index.md': '# Trip\n' })
    t.teardown(site.remove)
    site.write('content/posts/trip/a.csv', CRLF)
    makeRepository(site)
    crash(site, { at, writes: [[MOVE]] })
    await opened(site, async (store) => {
      const [head] = (await store.heads('posts', {})).items
      t.same(readFileSync(site.path(`content/posts/${head?.key.id}/a.csv`)), CRLF, at)
      t.same(blobOf(site, `HEAD:content/posts/${head?.key.id}/a.csv`), LF, at)
    })
    t.same(statusOf(site), [], at)
    t.same(litterOf(site), [], at)
  }
})

/** A site whose record has a film, and one within whose film is its own. */
function withFilms(t: Test): TestSite {
  const files = ['trip/v.mp4', 'trip/deep/v.mp4', 'trip/day/v.mp4', 'trip/cat.png', 'v.mp4']
  return repository(t, {
    ...Object.fromEntries(files.map((name) => [`content/posts/${name}`, name])),
    'content/posts/trip/index.md': '---\ntitle: Trip\ndraft: true\n---\n',
    'content/posts/trip/day/index.md': '# Day\n',
  })
}

const heldBy = (site: TestSite) => git(site.root, ['ls-tree', '-r', '--name-only', 'HEAD', 'content']).split('\n')

t.test('a record whose files git holds and leaves out of the folder stays where it is', async (t) => {
  const leaving: Record<string, (site: TestSite) => void> = {
    sparse: (site) => git(site.root, ['sparse-checkout', 'set', '--no-cone', '/*', '!/content/posts/trip/v.mp4']),
    skipped: (site) => {
      git(site.root, ['update-index', '--skip-worktree', 'content/posts/trip/deep/v.mp4'])
      rmSync(site.path('content/posts/trip/deep/v.mp4'))
    },
  }
  for (const [name, leave] of Object.entries(leaving)) {
    for (const change of [MOVE, gone(TRIP)]) {
      const site = withFilms(t)
      leave(site)
      const before = heldBy(site)
      const message = /v.mp4" is in the repository, but left out of this folder \(skip-worktree\): its record stays where it is/
      await t.rejects(written(site, [change]), { message }, name)
      t.same(heldBy(site), before)
      t.same(statusOf(site), [])
    }
  }
})

t.test('what was removed from the folder by hand goes with its record, and nothing else', async (t) => {
  for (const change of [MOVE, gone(TRIP)]) {
    const site = withFilms(t)
    for (const name of ['trip/v.mp4', 'trip/deep/v.mp4', 'trip/day/v.mp4', 'v.mp4']) rmSync(site.path(`content/posts/${name}`))
    await written(site, [change])
    const moved = 'put' in change ? ['content/posts/journey/cat.png', 'content/posts/journey/index.md'] : []
    const left = ['content/posts/trip/day/index.md', 'content/posts/trip/day/v.mp4', 'content/posts/v.mp4']
    t.same(heldBy(site), [...moved, ...left])
    t.same(statusOf(site), [' D content/posts/trip/day/v.mp4', ' D content/posts/v.mp4'])
    t.ok(isSound(site))
  }
})
