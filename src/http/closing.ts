import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Milliseconds to wait for a connection that has sent nothing, so that data on its way arrives. */
const SILENT = 200

/**
 * Keeps connections from holding up a server that is to end: those that have never asked for anything (browsers open some to
 * spare) end at once, all others `longest` milliseconds later. Node waits for both, and looks at no time limit from then on.
 */
export function useClosing(app: FastifyInstance, longest: number): void {
  const open = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  app.addHook('preClose', (done) => {
    const endSilent = () => {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    }
    const timers = [setTimeout(endSilent, SILENT), setTimeout(() => app.server.closeAllConnections(), longest)]
    for (const timer of timers) {
      timer.unref()
      app.server.once('close', () => clearTimeout(timer))
    }
    done()
  })
}
