import t from 'tap'
import { globPattern } from '#lib/text/glob.ts'

t.test('a glob means the paths that a shell would find', async (t) => {
  const cases: [string, string[], string[]][] = [
    ['content/*.md', ['content/a.md'], ['content/a/b.md', 'content/a.yaml']],
    ['content/**', ['content/a.md', 'content/a/b.md'], ['contents/a.md']],
    ['content/**/b.md', ['content/b.md', 'content/a/c/b.md'], ['content/ab.md']],
    ['content/{posts,pages}/?.md', ['content/posts/a.md', 'content/pages/b.md'], ['content/posts/ab.md', 'content/x/a.md']],
    ['content/[ab]*.md', ['content/a.md', 'content/bc.md'], ['content/c.md']],
    ['content/[!ab].md', ['content/c.md'], ['content/a.md', 'content//.md']],
    ['content/a+(b).md', ['content/a+(b).md'], ['content/ab.md']],
    ['content/{a', ['content/{a'], ['content/a']],
    ['', [''], ['a']],
  ]
  for (const [glob, yes, no] of cases) {
    for (const path of yes) t.match(path, globPattern(glob), `${glob} means ${path}`)
    for (const path of no) t.notMatch(path, globPattern(glob), `${glob} does not mean ${path}`)
  }
})
