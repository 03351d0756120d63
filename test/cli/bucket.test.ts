import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { cms, cmsAlone, scratchSite } from '#support/cli.ts'
import { longTest } from '#support/long.ts'
import { testDatabase } from '#support/postgres.ts'
import { fault, S3Server } from '#support/s3-server.ts'

const SECRETS = { S3_KEY: 'AKIDEXAMPLE', S3_SECRET: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }

async function siteOf(t: Test, more = ''): Promise<{ root: string; server: S3Server }> {
  const server = await S3Server.start({ clock: { now: () => Date.now() } })
  t.teardown(() => server.stop())
  const { endpoint, region, bucket } = server.settings
  const s3 = `{ endpoint: "${endpoint}", region: ${region}, bucket: ${bucket}, access_key_id: "\${S3_KEY}", secret_access_key: "\${S3_SECRET}" }`
  const root = scratchSite(t, {
    'content/posts/first.md': '---\ntitle: First\n---\n',
    'cms.config.yaml': `media: { store: s3, s3: ${s3} }\n${more}`,
  })
  return { root, server }
}

longTest('the doctor tries the bucket, and says what is wrong with it', async (t) => {
  const { root, server } = await siteOf(t)
  const run = await cmsAlone(['doctor', '--json'], { cwd: root, env: SECRETS })
  const { findings } = JSON.parse(run.stdout).data
  t.match(
    findings.find(({ name }: { name: string }) => name === 'bucket'),
    { state: 'ok', says: 'Objects are put, listed, read and removed.' },
  )
  t.equal(server.objects.size, 0)
  server.intercept = ({ method }) => (method === 'PUT' ? fault(403, 'AccessDenied') : undefined)
  const refused = await cms(['doctor'], { cwd: root, env: SECRETS })
  t.match(refused, { code: 1, stdout: /todo +bucket +An object can’t be put\. The key lacks rights/ })
  server.intercept = undefined
  const other = await cms(['doctor'], { cwd: root, env: { ...SECRETS, S3_SECRET: 'notthesecretofthiskey' } })
  t.match(other, { code: 1, stdout: /todo +bucket +The secret key does not belong to the key id/ })
  const gone = await siteOf(t)
  write(gone.root, 'content/media/photo.jpg.yaml', `checksum: "sha256:${'0'.repeat(64)}"\nsize: 1\n`)
  const lost = await cms(['doctor'], { cwd: gone.root, env: SECRETS })
  t.match(lost, { code: 1, stdout: /ok +bucket .*todo +media +The bytes of 1 media file are nowhere: media\/photo\.jpg/s })
  await gone.server.stop()
  const away = await cms(['doctor'], { cwd: gone.root, env: SECRETS })
  t.match(away, { code: 1, stdout: /todo +bucket +Nothing answers.*note +media +What keeps their bytes can’t be asked/s })
  write(gone.root, 'content/bad.md', '---\ntitle: [\n---\n')
  const checked = await cms(['check'], { cwd: gone.root, env: SECRETS })
  t.match(checked, { code: 1, stdout: /^content\/bad\.md:.*\ncontent\/media: warning: What keeps their bytes can’t be asked/s })
  const said = [run, refused, other, lost, away, checked].map(({ stdout, stderr }) => stdout + stderr).join('\n')
  for (const secret of [...Object.values(SECRETS), 'notthesecretofthiskey']) t.notOk(said.includes(secret), 'no key is told')
  const broken = await cms(['doctor'], { cwd: root, env: { ...SECRETS, S3_SECRET: 'notthesecret\n' } })
  t.match(broken, { code: 3, stderr: /media\.s3\.secret_access_key has a space, a line break/ })
  t.notMatch(broken.stderr, 'notthesecret')
})

t.test('other commands do not wait for the bucket', async (t) => {
  const { root, server } = await siteOf(t)
  await server.stop()
  t.match(await cms(['list', 'posts'], { cwd: root, env: SECRETS }), { code: 0, stdout: /First/ })
  t.equal(server.seen.length, 0)
})

longTest('a site moves into a database and back, and its files stay in the bucket', async (t) => {
  const { root, server } = await siteOf(t)
  const [photo, logo] = ['The bytes of a photo.', 'A logo.']
  const checksum = hash('sha256', photo, 'hex')
  write(root, 'content/media/photo.jpg.yaml', `checksum: "sha256:${checksum}"\nsize: ${photo.length}\n`)
  write(root, 'static/logo.svg', logo)
  server.objects.set(`media/${checksum}/${'0'.repeat(32)}`, { bytes: Buffer.from(photo), at: Date.now() - 5000 })
  const env = { ...SECRETS, DATABASE_URL: await testDatabase(t), CMS_SECRET: 'x'.repeat(32) }
  const refs = () => [...new Set([...server.objects.keys()].map((key) => key.split('/')[1]))].sort()
  const run = async (...args: string[]) => t.match(await cms(args, { cwd: root, env }), { code: 0 }, args.join(' '))

  await run('storage:migrate', '--to', 'postgres')
  t.strictSame(refs(), [checksum, hash('sha256', logo, 'hex')].sort())
  await run('storage:verify')
  write(root, 'cms.config.yaml', `${readFileSync(join(root, 'cms.config.yaml'), 'utf8')}storage: { driver: postgres }\n`)
  const { stdout } = await cms(['doctor', '--json'], { cwd: root, env })
  t.match(stdout, /"bucket"[^}]*"ok"/)
  await run('backup')
  for (const path of ['content/media', 'static', 'content/posts']) rmSync(join(root, path), { recursive: true })
  await run('storage:migrate', '--to', 'files')
  t.equal(readFileSync(join(root, 'static/logo.svg'), 'utf8'), logo)
  t.notOk(existsSync(join(root, 'content/media/photo.jpg')), 'what was in the bucket stays there')
  t.equal(server.objects.size, 2, 'once')
})

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
