import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Milliseconds to wait for a connection that has sent nothing, so that data on its way arrives. */
const SILENT = 200

/**
 * Returns the function that keeps connections from holding up a server that is to end: those that have never asked for anything
 * (browsers open some to spare) end at once, all others `longest` milliseconds later. Node waits for both, and looks at no time limit
 * from then on.
 */
export function endingOf(server: Server, longest: number): () => void {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return () => {
    const endSilent = () => {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    }
    const timers = [setTimeout(endSilent, SILENT), setTimeout(() => server.closeAllConnections(), longest)]
    for (const timer of timers) {
      timer.unref()
      server.once('close', () => clearTimeout(timer))
    }
  }
}

/** Has the server of an app end as `endingOf` says. */
export function useClosing(app: FastifyInstance, longest: number): void {
  const begin = endingOf(app.server, longest)
  app.addHook('preClose', (done) => {
    begin()
    done()
  })
}
