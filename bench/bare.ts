import { readFileSync } from 'node:fs'
import Fastify from 'fastify'

/**
 * The measure: a Fastify that answers the bytes of each file named on its command line, at `/0`, `/1`, …, and takes a POST and a
 * PUT.
 */
const bodies = process.argv.slice(2).map((file) => readFileSync(file))
const app = Fastify()
for (const [n, body] of bodies.entries()) {
  app.get(`/${n}`, (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8').send(body)
  })
}
const echo = { schema: { body: { type: 'object' } } } as const
app.post('/', echo, (_request, reply) => {
  reply.code(201).header('content-type', 'application/json; charset=utf-8').send(bodies[0])
})
app.put('/', echo, (_request, reply) => {
  reply.header('content-type', 'application/json; charset=utf-8').send(bodies[0])
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`Listening on ${url}\n`)
