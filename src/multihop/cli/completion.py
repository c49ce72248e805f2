"""`multihop completion`: shell completion for commands, options, strategies, profiles and indexes."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from multihop.errors import InvalidInput

_SHELLS = ("bash", "zsh", "fish")


@click.command(
    epilog="\b\nExample:\n  multihop completion bash   # put this line into ~/.bashrc:\n"
    '                             # eval "$(multihop completion bash)"'
)
@click.argument("shell", type=click.Choice(_SHELLS), metavar="bash|zsh|fish")
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the shell completion script.

    bash: eval "$(multihop completion bash)" in ~/.bashrc; zsh: eval "$(multihop completion zsh)" in ~/.zshrc; fish:
    multihop completion fish > ~/.config/fish/completions/multihop.fish
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise InvalidInput(f"this version of click does not complete for {shell}")
    shell_completion = kind(context.find_root().command, {}, "multihop", "_MULTIHOP_COMPLETE")
    click.echo(shell_completion.source_template % shell_completion.source_vars())
