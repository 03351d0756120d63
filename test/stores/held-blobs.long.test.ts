import { createHash } from 'node:crypto'
import t, { type Test } from 'tap'
import { openRepository } from '#git/repository.ts'
import { FilesBlobs } from '#stores/files/blobs/blobs.ts'
import { HeldBlobs } from '#stores/files/blobs/held-blobs.ts'
import { openFilesSite } from '#stores/files/site.ts'
import { TestClock } from '#support/clock.ts'
import { git, makeRepository } from '#support/git.ts'
import { MemoryBlobs } from '#support/memory-blobs.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const HOUR = 3_600_000
const MOST = 100

const textOf = (name: string, size = 200) => name.repeat(size).slice(0, size)
const refOf = (text: string) => createHash('sha256').update(text).digest('hex')
const sidecarOf = (text: string) => `alt: A file\nchecksum: sha256:${refOf(text)}\n`

async function* pieces(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

/** A site whose history names blobs in all the ways that it can, by their texts; nothing that is checked out names one. */
function named(t: Test, top = ''): { site: TestSite; texts: string[] } {
  const site = makeSite({ 'content/posts/a.md': '# A\n' })
  t.teardown(site.remove)
  makeRepository(site)
  const texts: string[] = []
  const write = (name: string, text = textOf(name)) => {
    texts.push(text)
    site.write(`content/media/${top}${name}.yaml`, sidecarOf(text))
  }
  const commit = (name: string) => {
    git(site.root, ['add', '-A'])
    git(site.root, ['commit', '-q', '-m', name])
  }
  git(site.root, ['checkout', '-q', '-b', 'other'])
  write('on a branch.jpg')
  commit('Upload')
  git(site.root, ['checkout', '-q', 'main'])
  write('reverted.jpg')
  write('deep/replaced.JPG')
  site.write('.gitattributes', '*.yaml binary\n')
  commit('Upload')
  write('deep/replaced.JPG', textOf('other'))
  commit('Replace')
  git(site.root, ['rm', '-rq', 'content/media'])
  commit('Remove')
  write('staged.jpg')
  git(site.root, ['add', '-A'])
  git(site.root, ['stash', '-q'])
  write('untracked.jpg')
  git(site.root, ['stash', '-q', '-u'])
  return { site, texts }
}

t.test('what a commit of any branch or stash names is not swept, wherever its bytes are', async (t) => {
  const { site, texts } = named(t)
  for (const kind of ['folder', 'bucket']) {
    const clock = new TestClock()
    const inner = kind === 'folder' ? new FilesBlobs(site.path('.cms/media'), clock) : new MemoryBlobs(clock)
    const repository = await openRepository(site.root, true)
    if ('without' in repository) throw new Error(repository.without)
    const blobs = new HeldBlobs(inner, repository)
    for (const text of [...texts, textOf('left')]) await blobs.put(pieces(text), 1000)
    clock.advance(48 * HOUR)
    t.equal(await blobs.sweep(clock.now(), (ref) => ref === refOf(texts[0] ?? '')), 1)
    t.equal(await blobs.open(refOf(textOf('left'))), undefined)
    for (const text of texts) {
      const stream = await blobs.open(refOf(text))
      t.ok(stream, text.slice(0, 20))
      stream?.destroy()
    }
  }
})

t.test('what git has the bytes of goes; a site outside of git sweeps as before', async (t) => {
  const { site } = named(t)
  const [small, unkept] = [textOf('small', MOST), textOf('unkept', MOST)]
  for (const [name, text] of Object.entries({ small, unkept })) site.write(`content/media/${name}.txt.yaml`, sidecarOf(text))
  site.write('content/media/small.txt', small)
  git(site.root, ['add', '-A'])
  git(site.root, ['commit', '-q', '-m', 'Upload'])
  git(site.root, ['rm', '-rq', 'content/media'])
  git(site.root, ['commit', '-q', '-m', 'Remove'])
  const options = { ...filesOptions(site, plainTypes(), new TestClock()), privateDir: site.path('.cms') }
  const sweptIn = async (enabled: boolean) => {
    const clock = new TestClock()
    const own = { ...options, clock, git: { ...GIT, enabled }, force: true, delivering: false, locale: 'en', besideMax: MOST }
    const opened = await openFilesSite(own)
    for (const text of [small, unkept]) await opened.blobs().put(pieces(text), 1000)
    const swept = await opened.blobs().sweep(clock.now() + HOUR, () => false)
    await opened.close()
    return swept
  }
  t.equal(await sweptIn(true), 1)
  t.equal(await sweptIn(false), 2)
})
