import Analysis
import App
import ArgumentParser

/// Runs `plumb check` or `plumb compare`, here or on a server: prints the answer and ends the command with its status.
enum GateRun {
  /// `failure`: the beginning of the message if there is no answer. Throws `ExitCode`, unless the status is 0.
  static func run(_ failure: String, _ judge: () throws -> GateAnswer) throws {
    let answer: GateAnswer
    do {
      answer = try judge()
    } catch let error as InvalidQuery {
      throw ValidationError(error)
    } catch  where error is ValidationError || error is UsageError {
      throw error
    } catch {
      Console.complain("\(failure): \(error)")
      throw ExitCode(3)
    }
    for message in answer.messages { Console.complain(message) }
    Console.print(answer.text)
    if answer.status != 0 { throw ExitCode(answer.status) }
  }
}
