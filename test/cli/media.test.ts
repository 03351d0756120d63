import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { cms, scratchSite } from '#support/cli.ts'

const FILES = {
  'content/about.md': '# About\n',
  'content/media/2026/here.png': 'x',
  'content/media/2026/here.png.yaml': 'alt: Here\n',
  'content/media/alone.txt': 'x',
}

t.test('check and doctor name media whose bytes are gone', async (t) => {
  const root = scratchSite(t, { ...FILES, 'content/media/gone.pdf.yaml': `checksum: sha256:${'0'.repeat(64)}\n` })
  const { code, stdout } = await cms(['check'], { cwd: root })
  t.equal(code, 1)
  t.equal(
    stdout.trim(),
    'content/media/gone.pdf.yaml: warning: The file that this describes, media/gone.pdf, is not there. Bring it back from git or a backup, or remove its description.',
  )
  const doctor = await cms(['doctor', '--json'], { cwd: root })
  const of = (text: string) => JSON.parse(text).data.findings.find(({ name }: { name: string }) => name === 'media')
  t.match(of(doctor.stdout), { state: 'todo', says: 'The bytes of 1 media file are nowhere: media/gone.pdf.' })
  rmSync(join(root, 'content/media/gone.pdf.yaml'))
  t.equal((await cms(['check'], { cwd: root })).code, 0)
  t.match(of((await cms(['doctor', '--json'], { cwd: root })).stdout), { state: 'ok' })
})

t.test('check names the files of fields that are not there', async (t) => {
  const root = scratchSite(t, {
    ...FILES,
    'cms.config.yaml':
      'types: { posts: { fields: { hero: { type: media }, all: { type: list, of: { type: object, fields: { file: { type: media } } } }, more: { type: url } } } }\n',
    'content/posts/trip/cat.png': 'x',
    'content/posts/trip/index.md':
      '---\ntitle: Trip\nhero: 2026/here.png\nall: [{ file: cat.png }, { file: ./cat.png }, { file: alone.txt }, { file: /media/2026/here.png }, { file: "https://example.com/x.png" }]\nmore: cat.png\n---\n',
    'content/posts/lost.md':
      '---\ntitle: Lost\nstatus: draft\nhero: 2026/none.png\nall:\n  - { file: cat.png }\n  - { file: /media/none.txt }\nmore: ./dog.png\n---\n',
    'content/posts/ways.md': '---\ntitle: Ways\nmore: /posts/trip\n---\n',
    'content/settings/site.yaml': 'logo: logo.png\n',
  })
  const { code, stdout } = await cms(['check'], { cwd: root })
  t.equal(code, 1)
  const lost = (place: string, name: string, path: string) =>
    `content/${place}: warning: The file "${name}" is not there. Put it at content/${path}, or name another.`
  t.strictSame(stdout.trim().split('\n'), [
    lost('posts/lost.md:4:1', '2026/none.png', 'media/2026/none.png'),
    lost('posts/lost.md:5:1', 'cat.png', 'media/cat.png'),
    lost('posts/lost.md:5:1', '/media/none.txt', 'media/none.txt'),
    lost('posts/lost.md:8:1', './dog.png', 'posts/dog.png'),
    lost('settings/site.yaml', 'logo.png', 'media/logo.png'),
  ])
})
