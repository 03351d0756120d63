import type { CommandDefinition } from '#module/module.ts'
import { commandName } from './loading/claims.ts'
import type { LoadedModule } from './module-set.ts'

/** A command of a module, with its whole name. */
export interface ModuleCommand {
  /** `contacts:greet`. */
  readonly name: string
  readonly module: string
  readonly definition: CommandDefinition
}

/** Returns the commands of modules. */
export function moduleCommands(modules: readonly LoadedModule[]): ModuleCommand[] {
  return modules.flatMap(({ name, definition }) =>
    (definition.commands ?? []).map((command) => ({
      ...{ name: commandName(name, command.name), module: name, definition: command },
    })),
  )
}
