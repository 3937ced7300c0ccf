"""`cardbook`: the group of commands, loaded one at a time so that `--help` stays quick."""

from __future__ import annotations

import importlib

import click

#: Command → (module of cardbook.cli, one-line help). The help stands here so that listing the
#: commands loads none of them.
COMMANDS = {
    "check": ("check", "Check the corpus, a submission or a bulk file against the rules."),
    "build": ("build", "Compile the documents into tables and descriptor."),
    "query": ("query", "Run a SELECT over the tables and views."),
    "show": ("show", "Print one recipe the way a person reads it."),
    "list": ("listing", "List cards, models, quants, engines, recipes, tables or units."),
    "wall": ("wall", "The calculator: what the identities say about a configuration."),
    "rules": ("rules", "List the rules."),
    "explain": ("explain", "Explain a rule, worked on a recipe."),
    "coverage": ("coverage", "What is measured, what is missing, what waits for a figure."),
    "import": ("imports", "Turn the output of a benchmark tool into a draft recipe."),
    "record": ("recording", "Run your own benchmark and draft a recipe from it."),
    "new": ("new", "Draft a recipe by answering questions."),
    "release": ("release", "Write a complete release."),
    "diff": ("diff", "Compare two versions of the package."),
}


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"cardbook.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="cardbook")
def cli() -> None:
    """CardBook: measured LLM inference on named GPUs, checked against the physics.

    Exit status: 0 no error, 1 findings, 2 the tool or its use is at fault.
    """


def run() -> None:
    """Entry point: faults of use or of the tool exit with 2 and one line, never a traceback."""
    import sys

    from cardbook.package import PackageError

    try:
        sys.exit(cli.main(standalone_mode=False) or 0)
    except click.exceptions.Abort:
        click.echo("interrupted; nothing was left half-written", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except PackageError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
