// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// A token that keeps a part of each transfer, may ask for approvals to be reset first and answer nothing (as Tether's
/// does on Ethereum), may refuse to be sent to an account, or to one that is a contract, and may hide what it keeps from calls that nobody sends.
contract OddToken {
    string public constant name = "Odd Token";
    string public constant symbol = "ODD";
    uint8 public immutable decimals;
    uint256 public immutable taxBps;
    bool public immutable isTetherLike;
    bool public immutable isSecretive;
    address public immutable collector;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public isRefused;
    mapping(address => bool) public isRefusedWithCode;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    constructor(uint256 supply, uint8 digits, uint256 bps, bool tetherLike, bool secretive) {
        (decimals, taxBps, isTetherLike, isSecretive) = (digits, bps, tetherLike, secretive);
        collector = msg.sender;
        totalSupply = balanceOf[msg.sender] = supply;
    }

    function refuse(address account) external {
        isRefused[account] = true;
    }

    function refuseWithCode(address account) external {
        isRefusedWithCode[account] = true;
    }

    function approve(address spender, uint256 amount) external {
        require(!isTetherLike || amount == 0 || allowance[msg.sender][spender] == 0, "reset first");
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        answer();
    }

    function transfer(address to, uint256 amount) external {
        move(msg.sender, to, amount);
        answer();
    }

    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        move(from, to, amount);
        answer();
    }

    /// Liquidity comes and goes untaxed, so that tests know what a pool holds.
    function move(address from, address to, uint256 amount) private {
        require(!isRefused[to], "refused");
        require(!isRefusedWithCode[to] || to.code.length == 0, "no contracts");
        bool isFree = from == collector || to == collector || (isSecretive && tx.origin == address(0));
        uint256 tax = isFree ? 0 : (amount * taxBps) / 10_000;
        balanceOf[from] -= amount;
        balanceOf[to] += amount - tax;
        balanceOf[collector] += tax;
        emit Transfer(from, to, amount - tax);
    }

    function answer() private view {
        if (isTetherLike) return;
        assembly {
            mstore(0, 1)
            return(0, 32)
        }
    }
}
