import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { Conflict } from '#lib/errors.ts'
import { makeFile } from '#lib/files/atomic.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { keyFile } from '../modules.ts'
import { shownPath } from '../output.ts'

export function define(command: Command, act: Act): void {
  command
    .addHelpText('after', examples('cms module:keygen', 'KEY=$(cms module:keygen)'))
    .addHelpText('after', '\nThe private key is written to ~/.config/quire/module.key; what is printed is the public one.')
    .action(act(keygen))
}

async function keygen(call: Call): Promise<Answer> {
  const file = keyFile(call)
  if (existsSync(file))
    throw new Conflict(
      `There is a key already: ${shownPath(file)}.`,
      undefined,
      'Who trusts it would not know a new one. Move it away first if you mean it.',
    )
  const { makeKeys } = await import('#packages/proof.ts')
  const { privateKey, publicKey } = makeKeys()
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  makeFile(file, privateKey, 0o600)
  call.output.say(`Wrote the private key to ${shownPath(file)}: keep a copy where nobody else reads it.`)
  call.output.say('Others trust it by this line in modules.signing_keys of their configuration:')
  return { data: { key: publicKey, file }, text: publicKey }
}
