import t from 'tap'
import { keyOf } from '#core/key.ts'
import { FilesStore } from '#stores/files/store.ts'
import { TestClock } from '#support/clock.ts'
import { git, isSound, makeRepository, statusOf } from '#support/git.ts'
import { makeSite } from '#support/sites.ts'
import { filesOptions, GIT } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

t.test('what an author stages in the very moment of a write stays staged', async (t) => {
  const site = makeSite({ 'content/posts/a.md': '# A\n', 'README.md': 'One.\n' })
  t.teardown(() => site.remove())
  makeRepository(site)
  let once = true
  const onStep = (at: string) => {
    if (at !== 'journal' || !once) return
    once = false
    site.write('README.md', 'Two.\n')
    git(site.root, ['add', 'README.md'])
  }
  const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock()), git: GIT, onStep })
  t.teardown(() => store.close())
  await store.write([{ key: keyOf('posts', 'a'), put: { body: 'New.\n' } }], { name: 'Grace', email: 'grace@example.org' })
  t.same([once, statusOf(site)], [false, ['M  README.md']])
  t.equal(git(site.root, ['log', '--format=%s']), 'Update posts/a\nBegin')
  t.ok(isSound(site))
})
