import childProcess from 'node:child_process'
import { EventEmitter } from 'node:events'
import t from 'tap'
import { Objects } from '#git/objects/objects.ts'
import { git } from '#git/process.ts'
import { Unavailable } from '#lib/errors.ts'
import { replaceIn } from '#support/builtins.ts'

t.test('where no pipe to git can be made, only what asked for it fails', async (t) => {
  // What spawn does when the process may open no more files: no streams, and an error a moment later.
  const spawn = () => {
    const child = new EventEmitter()
    process.nextTick(() => child.emit('error', Object.assign(new Error('spawn git EMFILE'), { code: 'EMFILE' })))
    return child
  }
  replaceIn(t, childProcess, { spawn })
  const unavailable = (work: Promise<unknown>) =>
    t.rejects(work, { message: /files are open/, status: new Unavailable('').status })
  await unavailable(git('.', ['version']))
  const objects = new Objects('.')
  await unavailable(objects.info('HEAD'))
  await unavailable(objects.info('HEAD'))
  await objects.close()
})
