import fs, { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import t from 'tap'
import { fileBytesAt } from '#lib/files/bytes.ts'
import { stampAt } from '#lib/files/stamp.ts'
import { Swap } from '#lib/files/swap.ts'
import { replaceIn } from '#support/builtins.ts'
import { makeSite, type TestSite } from '#support/sites.ts'

const FILES = { 'x/a.md': 'A', 'y/b.md': 'B', 'y/c.md': 'C' }

/** Replacements of all files by a text. */
function prepared(site: TestSite, text: string): Promise<Swap> {
  const all = Object.entries(FILES).map(([name, before]) => {
    const real = site.path(name)
    const bytes = { before: Buffer.from(before), after: Buffer.from(text) }
    return { real, root: site.root, ...bytes, stamp: stampAt(real), mode: 0o666, folderMode: 0o777 }
  })
  return Swap.prepare(all)
}

t.test('where a folder goes while files are put in place, all others are as they were', async (t) => {
  const site = makeSite(FILES)
  t.teardown(() => site.remove())
  const swap = await prepared(site, 'New')
  const { renameSync } = fs
  replaceIn(t, fs, {
    renameSync: (from: string, to: string) => {
      if (to === site.path('y/c.md')) rmSync(dirname(to), { recursive: true })
      renameSync(from, to)
    },
  })
  t.equal(await swap.put(), false)
  swap.discard()
  t.equal(readFileSync(site.path('x/a.md'), 'utf8'), 'A')
})

t.test('where a folder goes before anything is in place, it is for the client to try again', async (t) => {
  const site = makeSite(FILES)
  t.teardown(() => site.remove())
  const { mkdirSync } = fs
  replaceIn(t, fs, {
    mkdirSync: (path: string, more: object) => {
      mkdirSync(path, more)
      if (path === site.path('y')) rmSync(path, { recursive: true })
      return undefined
    },
  })
  rmSync(site.path('y'), { recursive: true })
  await t.rejects(prepared(site, 'New'), { status: 503, message: /meanwhile/ })
  t.strictSame(readdirSync(site.path('x')), ['a.md'])
  t.equal(readFileSync(site.path('x/a.md'), 'utf8'), 'A')
})

t.test('files whose bytes are in no memory are replaced, moved and removed, or are all as they were', async (t) => {
  for (const isFailing of [false, true]) {
    const site = makeSite({ ...FILES, new: 'New' })
    t.teardown(() => site.remove())
    const bytesOf = (name: string) => fileBytesAt(site.path(name))
    const replacement = (name: string, after: string | undefined) => {
      const real = site.path(name)
      const bytes = { before: bytesOf(name), after: after === undefined ? undefined : bytesOf(after) }
      return { real, root: site.root, ...bytes, stamp: stampAt(real), mode: 0o666, folderMode: 0o777 }
    }
    const all = [replacement('x/a.md', 'new'), replacement('z/d.md', 'y/b.md'), replacement('y/b.md', undefined)]
    const swap = await Swap.prepare([...all, replacement('y/c.md', 'new')])
    const { renameSync } = fs
    replaceIn(t, fs, {
      renameSync: (from: string, to: string) => {
        if (isFailing && to === site.path('y/c.md') && !from.startsWith(to)) throw Object.assign(new Error(), { code: 'ENOENT' })
        renameSync(from, to)
      },
    })
    t.equal(await swap.put(), !isFailing)
    swap.discard()
    const files = readdirSync(site.root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const found = Object.fromEntries(files.map(({ name, parentPath }) => [name, readFileSync(`${parentPath}/${name}`, 'utf8')]))
    t.same(
      found,
      isFailing
        ? { 'a.md': 'A', 'b.md': 'B', 'c.md': 'C', new: 'New' }
        : { 'a.md': 'New', 'c.md': 'New', 'd.md': 'B', new: 'New' },
    )
    fs.renameSync = renameSync
  }
})
