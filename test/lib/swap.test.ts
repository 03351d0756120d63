import fs, { readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import t from 'tap'
import { stampAt } from '#lib/file-stamp.ts'
import { Swap } from '#lib/swap.ts'
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
