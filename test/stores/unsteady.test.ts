import { join } from 'node:path'
import t from 'tap'
import type { EditThread } from '#core/format/edit-thread.ts'
import { keyOf } from '#core/key.ts'
import { FileLock } from '#stores/files/disk/lock.ts'
import { Tree } from '#stores/files/disk/tree.ts'
import { BrowseIndex } from '#stores/files/index/browse-index.ts'
import type { Documents } from '#stores/files/registry/documents.ts'
import type { FileRegistry } from '#stores/files/registry/file-registry.ts'
import { Writer } from '#stores/files/writing/writer.ts'
import { TestClock } from '#support/clock.ts'
import { makeSite } from '#support/sites.ts'
import { plainTypes } from '#support/types.ts'

t.test('where git locks its index again and again, that is what is said', async (t) => {
  const site = makeSite({ '.cms/.gitignore': '*' })
  t.teardown(() => site.remove())
  const lookAtPlaces = () => {
    throw new Error('The files are in the middle of a checkout.')
  }
  const writer = new Writer({
    tree: new Tree(site.root, 'content', site.path('.cms')),
    registry: { claims: () => [], places: { candidates: () => [] }, lookAtPlaces } as unknown as FileRegistry,
    index: new BrowseIndex(plainTypes(), new TestClock()),
    documents: {} as Documents,
    lock: new FileLock(join(site.path('.cms'), 'write.lock')),
    editing: {} as EditThread,
    keeping: { most: 1, calm: async () => () => false, keep: async () => false },
  })
  const change = { key: keyOf('posts', 'a'), put: { body: 'A' } }
  const failing = writer.write([change], { name: 'A', email: 'a@example.org' }, {})
  await t.rejects(failing, { status: 503, message: /git commands lock the index/, hint: /Wait/ })
})
