import t from 'tap'
import { keyOf, keyText } from '#core/key.ts'
import { ScanThread } from '#core/links/scan-thread.ts'
import type { Store } from '#core/store.ts'
import { LinkIndex } from '#features/records/links/link-index.ts'
import { eachStore } from '#support/stores.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const idOf = (n: number) => `p${String(n).padStart(3, '0')}`
const FILES = Object.fromEntries(
  Array.from({ length: 250 }, (_, n) => [`content/posts/${idOf(n)}.md`, `---\ntitle: ${n}\n---\n[x](/there)\n`]),
)

t.test('what is written while the index is first read hides none of the others', (t) =>
  eachStore(t, { files: FILES }, async (t, { store, types }) => {
    let isFirst = true
    const wrapped: Pick<Store, 'browse' | 'changes' | 'get' | 'heads' | 'kinds' | 'problems'> = {
      browse: async (kind, query) => {
        const page = await store.browse(kind, query)
        if (isFirst) {
          isFirst = false
          await store.write([{ key: keyOf('posts', idOf(3)), remove: true }], ada)
        }
        return page
      },
      changes: (after, limit) => store.changes(after, limit),
      get: (key) => store.get(key),
      heads: (kind, query) => store.heads(kind, query),
      kinds: () => store.kinds(),
      problems: (kind) => store.problems(kind),
    }
    const index = new LinkIndex({ store: wrapped as Store, types }, new ScanThread())
    await index.refresh()
    await index.refresh()
    const found = index.linking(['/there']).map(keyText).sort()
    t.same(
      found,
      Object.keys(FILES).flatMap((file) => (file.includes(idOf(3)) ? [] : file.slice('content/'.length, -'.md'.length))),
    )
  }),
)
