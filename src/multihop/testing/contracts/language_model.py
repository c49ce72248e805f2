"""What every language model must do."""

from __future__ import annotations

from multihop.protocols import LanguageModel, Step


class LanguageModelContract:
    """What every language model must do; supply a fixture `model` and a `step` that it can answer."""

    def test_it_has_a_name_for_the_trace(self, model: LanguageModel) -> None:
        assert isinstance(model, LanguageModel)
        assert model.name.strip()

    def test_every_step_gets_an_answer_and_is_counted(self, model: LanguageModel, step: Step) -> None:
        session = model.session()
        assert not session.calls
        answers = session.ask([step, step], 2)
        assert len(answers) == 2
        assert all(answer.values and not answer.problem for answer in answers)
        assert [(call.step, call.hop, call.problem) for call in session.calls] == [(step.prompt, 2, "")] * 2

    def test_questions_do_not_share_what_they_spent(self, model: LanguageModel, step: Step) -> None:
        # Limits and the trace count per question, so a session must not see the calls of another.
        model.session().ask([step], 1)
        assert not model.session().calls

    def test_no_steps_cost_nothing(self, model: LanguageModel) -> None:
        session = model.session()
        assert list(session.ask([], 1)) == []
        assert not session.calls
