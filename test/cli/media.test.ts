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
