import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { complaintOf, withoutSecrets } from '#git/remote/network.ts'
import { Remote } from '#git/remote/remote.ts'
import { openRepository } from '#git/repository.ts'
import { git } from '#support/git.ts'

t.test('messages of git are told without names, passwords and tokens in addresses', async (t) => {
  const cases: readonly (readonly [said: string, told: string])[] = [
    ['fatal: https://u:p@host/x.git: no', 'fatal: https://host/x.git: no'],
    ["unable to access 'https://t@host/x?key=1#y': 403", "unable to access 'https://host/x': 403"],
    ['(ssh://a:b@c@host/x)', '(ssh://host/x)'],
    ['https://a@one,https://b@two/x', 'https://two/x'],
    ['see https://host/x, or ada@example.org', 'see https://host/x, or ada@example.org'],
    ['://a:b@host', '://host'],
  ]
  for (const [said, told] of cases) t.equal(withoutSecrets(said), told)
})

t.test('a long message takes as long as it is long', async (t) => {
  const begin = process.cpuUsage()
  for (const part of ['a', 'a.', '://', 'a://', 'a://?', '@', '://@', 'x '])
    complaintOf(new Error(part.repeat(2_000_000 / part.length)))
  const { user } = process.cpuUsage(begin)
  t.ok(user < 10_000_000, `${user} µs`)
})

/** A repository whose remote runs a script in place of git. */
async function withRemote(t: Test, script: string, patience?: number): Promise<{ remote: Remote; top: string }> {
  const top = t.testdir({ other: {} })
  const program = join(top, 'remote.sh')
  writeFileSync(program, `#!/bin/sh\n${script}\n`)
  chmodSync(program, 0o755)
  for (const folder of [top, join(top, 'other')]) git(folder, ['init', '-q', '-b', 'main'])
  git(top, ['remote', 'add', 'origin', join(top, 'other')])
  git(top, ['config', 'remote.origin.uploadpack', program])
  git(top, ['config', 'remote.origin.receivepack', program])
  git(top, ['commit', '-q', '--allow-empty', '-m', 'Begin'])
  const repository = await openRepository(top, true)
  if ('without' in repository) throw new Error(repository.without)
  return { remote: new Remote(repository, 'origin', patience), top }
}

t.test('a remote that sends messages without end is let go', async (t) => {
  const { remote } = await withRemote(t, 'yes "remote: https://u:p@host" >&2')
  await t.rejects(remote.fetch('main'), { message: 'The remote origin sends messages without end.' })
  await t.rejects(remote.push('main', 'HEAD'), { message: 'The remote origin sends messages without end.' })
})

t.test('a remote that sends a byte now and then is let go when its time is over', async (t) => {
  const { remote } = await withRemote(t, 'while printf x >&2; do sleep 0.1; done', 1500)
  const message = 'The remote origin takes too long.'
  await t.rejects(remote.fetch('main'), { message })
  await t.rejects(remote.push('main', 'HEAD'), { message })
  const stop = new AbortController()
  const fetched = t.rejects(remote.fetch('main', stop.signal), { message: /interrupted/ })
  stop.abort()
  await fetched
})

t.test('a remote that answers garbage, or nothing, is named', async (t) => {
  for (const script of ['printf "<html>hello"', 'exit 1', 'printf "ffff"']) {
    const { remote } = await withRemote(t, script)
    await t.rejects(remote.fetch('main'), { message: /^The remote origin can't be reached: / }, script)
    await t.rejects(remote.push('main', 'HEAD'), { message: /^The remote origin can't be reached: / }, script)
  }
})

t.test('a git that is let go leaves no process that waits for a silent remote', async (t) => {
  const { remote, top } = await withRemote(t, '')
  const server = createServer()
  t.teardown(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  git(top, ['remote', 'set-url', 'origin', `http://127.0.0.1:${port}/x.git`])
  process.env.GIT_HTTP_LOW_SPEED_TIME = '1'
  t.teardown(() => {
    delete process.env.GIT_HTTP_LOW_SPEED_TIME
  })
  const stop = new AbortController()
  const asked = once(server, 'connection')
  const fetched = t.rejects(remote.fetch('main', stop.signal), { message: /interrupted/ })
  const [socket] = (await asked) as [Socket]
  const isClosed = once(socket.resume(), 'close')
  stop.abort()
  await fetched
  await isClosed
})
