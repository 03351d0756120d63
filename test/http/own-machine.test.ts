import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { isOwnMachine } from '#http/requests/own-machine.ts'

function asked(host: string | undefined, more: Readonly<Record<string, string>> = {}, from = '127.0.0.1', httpVersion = '1.1') {
  return { raw: { socket: { remoteAddress: from }, httpVersion }, headers: { host, ...more } } as unknown as FastifyRequest
}

t.test('only a browser on this machine, with nothing in between, is on it', (t) => {
  for (const host of ['localhost', 'localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'a.localhost'])
    for (const from of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) t.ok(isOwnMachine(asked(host, {}, from)), `${host} ${from}`)
  for (const from of ['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::1', '10.0.0.1', ''])
    t.notOk(isOwnMachine(asked('localhost', {}, from)), from)
  for (const host of [
    'example.org',
    '127.0.0.1.example.org',
    'localhost.example.org',
    '192.0.2.1',
    'localhost@example.org',
    '',
    undefined,
  ])
    t.notOk(isOwnMachine(asked(host)), String(host))
  for (const name of ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'])
    t.notOk(isOwnMachine(asked('localhost', { [name]: '' })), name)
  for (const version of ['1.0', '2.0']) t.notOk(isOwnMachine(asked('localhost', {}, '127.0.0.1', version)), version)
  t.end()
})
